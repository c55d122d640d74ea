"""The kernel: checks a certificate of dipc, alone.

    python kernel CERTIFICATE [--program FILE]              a copy of this folder is enough
    python -m dipc.kernel CERTIFICATE [--program FILE]

The standard library only, nothing of dipc: what this folder accepts is proved, whoever wrote it.

* ``reading``: the file, and what refuses it;
* ``schema``: values of the file, as dataclasses declare them;
* ``facts``: functions of eps, exact signs, and proofs of f >= 0: the logical core;
* ``laws``: sets, functions, decision diagrams, the adjacency;
* ``privacy``: what (eps, delta)-privacy needs;
* ``measures``: what accuracy, bounded range and Renyi divergences need;
* ``sizes``, ``automata``: what privacy for every size needs;
* ``chains``, ``formulas``: what a formula of dpCTL* about a Markov chain needs;
* ``pufferfish``, ``hidden``, ``polynomials``: what Pufferfish privacy of a hidden Markov model needs;
* ``statements``: the union of these statements.
"""
