"""Protocol buffers of the gateway: `gateway.proto`, and the Python that protoc makes of it.

Made from the folder that holds `physgauge/` (`src`) by

    python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. --grpc_python_out=. \\
        physgauge/v1/gateway.proto

with grpcio-tools 1.72.1: code of an older protoc runs with the protobuf of any newer release, not the
other way round. `tests/gateway/test_proto.py` holds the code to the proto file.
"""
