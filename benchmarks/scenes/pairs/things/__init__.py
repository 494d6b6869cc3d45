"""What worlds are furnished with: figures, vessels, tools, lamps, signs."""
