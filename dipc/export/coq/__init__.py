"""A verdict as a theorem for Coq (Rocq), see docs/coq.md; the folder has the library that proves it."""
