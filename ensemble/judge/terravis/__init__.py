"""TerraVis: what is asked about an image, how, and what the answers come to (docs/terravis.md)."""
