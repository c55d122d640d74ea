"""A verdict as a theorem for Coq (Rocq), see docs/certificates.md, with the library that proves it."""
