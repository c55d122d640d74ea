"""Python that cannot be part of a mechanism, and what to write instead: two tables."""

from __future__ import annotations

import ast

STATEMENTS: dict[type[ast.stmt], tuple[str, str]] = {
    ast.FunctionDef: ("a nested function", "write what it does in its place"),
    ast.AsyncFunctionDef: ("a nested function", "write what it does in its place"),
    ast.ClassDef: ("a nested class", "use plain variables and lists"),
    ast.Delete: ("`del`", "remove it: a variable that is not read again costs nothing"),
    ast.AsyncFor: ("`async for`", "use `for i in range(...)`"),
    ast.With: ("`with`", "remove it: a mechanism touches nothing but its variables"),
    ast.AsyncWith: ("`async with`", "remove it: a mechanism touches nothing but its variables"),
    ast.Match: ("`match`", "use `if` and `elif`"),
    ast.Raise: ("`raise`", "a mechanism always gives an output: return one that says so, such as 'failed'"),
    ast.Try: ("`try`", "nothing raises an exception in a mechanism: remove it"),
    ast.TryStar: ("`try`", "nothing raises an exception in a mechanism: remove it"),
    ast.Assert: ("`assert`", "the sets of the inputs say what holds for them"),
    ast.Import: ("`import`", "the words of dipc need no import; move other imports out of the function"),
    ast.ImportFrom: ("`import`", "the words of dipc need no import; move other imports out of the function"),
    ast.Global: ("`global`", "a mechanism changes nothing outside itself: use a local variable"),
    ast.Nonlocal: ("`nonlocal`", "a mechanism changes nothing outside itself: use a local variable"),
}

EXPRESSIONS: dict[type[ast.expr], tuple[str, str]] = {
    ast.NamedExpr: ("`:=`", "assign the variable on a line of its own"),
    ast.Lambda: ("a `lambda`", "only the score of `Exp` may be one: `Exp(eps/2, range(N), lambda v: q[v])`"),
    ast.Dict: ("a dictionary", "only `choose` takes one: `x = choose({0: 1/2, 1: 1/2})`"),
    ast.Set: ("a set", "write `x in {0, 1}` or `uniform({0, 1})`, or use a list"),
    ast.SetComp: ("a set comprehension", "use a list"),
    ast.DictComp: ("a dictionary comprehension", "write its entries out"),
    ast.Await: ("`await`", "nothing is awaited in a mechanism"),
    ast.Yield: ("`yield`", "`return` the outputs"),
    ast.YieldFrom: ("`yield`", "`return` the outputs"),
    ast.JoinedStr: ("an f-string", "use one word, such as 'top'"),
    ast.Attribute: ("an attribute", "only plain variables, lists and dipc's own words can be used"),
    ast.Starred: ("`*`", "write the values one by one"),
    ast.List: ("a list", "give it a name first: `a = [0, 1]`"),
    ast.Tuple: ("a tuple", "give each value a variable of its own, or use a list"),
    ast.ListComp: ("a list", "give it a name first: `a = [0 for i in range(N)]`"),
    ast.GeneratorExp: ("a generator", "it is allowed only in `all`, `any`, `sum`, `max` and `min`"),
    ast.Slice: ("a slice", "write a loop over the indices"),
}

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.MatMult: ("`@`", "write the sum out"),
    ast.LShift: ("`<<`", "write `x * 2**k`"),
    ast.RShift: ("`>>`", "write `floor(x / 2**k)`"),
    ast.BitOr: ("`|`", "write `or`"),
    ast.BitAnd: ("`&`", "write `and`"),
    ast.BitXor: ("`^`", "write `!=` for truth values, `**` for a power"),
    ast.Invert: ("`~`", "write `not`"),
    ast.Is: ("`is`", "write `==`"),
    ast.IsNot: ("`is not`", "write `!=`"),
}
