"""The broken functions are loaded by their test only, and not searched for doctests."""

collect_ignore_glob = ["broken/*"]
