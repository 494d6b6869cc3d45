"""Pictures that are not eligible, by family."""
