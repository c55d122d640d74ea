"""The kernel: checks a certificate of dipc, alone.

    python kernel CERTIFICATE [--program FILE]              a copy of this folder is enough
    python -m dipc.kernel CERTIFICATE [--program FILE]

The standard library only, nothing of dipc: what this folder accepts is proved, whoever wrote it.

* ``reading``: values of the file;
* ``facts``: functions of eps, exact signs, and proofs of f >= 0: the logical core;
* ``laws``: what a certificate lists: sets, functions, decision diagrams, the adjacency;
* ``privacy``: what (eps, delta)-privacy needs;
* ``chains``: what a formula of dpCTL* about a Markov chain needs;
* ``models``, ``hidden``, ``pumps``: what Pufferfish privacy of a hidden Markov model needs;
* ``polynomials``, ``parameters``, ``classes``: the same for every value of parameters;
* ``statements``: which of the four a certificate is about.
"""
