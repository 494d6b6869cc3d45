"""Loads everything that the steps will but the judge's model, once and in one process, before the server
starts.

The first time a profile is served this compiles its rules, which the steps then find in the cache; and
what is wrong with the profile is said here, not in the log of a model.
"""

from __future__ import annotations

import sys

from physgauge.ensemble.judge.load import check_judges
from physgauge.ensemble.methods import Methods
from physgauge.ensemble.served.deployment import Deployment
from physgauge.errors import ConfigError, PhysgaugeError

EXIT_CONFIG = 2
EXIT_ENVIRONMENT = 3


def main() -> int:
    """Load; the exit code, with what is wrong on standard error."""
    try:
        deployment = Deployment()
        Methods.of("both", deployment.profile, deployment.profile.judge)
        deployment.detectors()
        deployment.domains()
        judge = deployment.profile.judge
        if judge and judge.after_detection and deployment.profile.observers:
            raise ConfigError(
                f'profile {deployment.profile.name}: judge.views.kind: expected "whole" or "tiles" '
                'to serve a profile with observers, got "subjects": there the image is looked at '
                "behind the rules, and what observers see comes before them"
            )
        check_judges(deployment.loaded)
    except PhysgaugeError as error:
        print(error, file=sys.stderr)
        return EXIT_CONFIG if isinstance(error, ConfigError) else EXIT_ENVIRONMENT
    return 0


if __name__ == "__main__":
    sys.exit(main())
