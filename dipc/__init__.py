"""dipc decides differential privacy."""
