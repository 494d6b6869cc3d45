"""Aircraft, cars and animals."""
