fails = 0; passes = 0;
check[name_, holds_] := If[TrueQ[holds], passes = passes + 1; Print["PASS ", name], fails = fails + 1; Print["FAIL ", name]];
value[f_] := f /. {z -> Exp[eps/q], w -> Exp[1/q], v -> Exp[1/(q*eps)]};
at[f_, r_] := N[value[f] /. eps -> r, 50];
(* f' - a f, for a polynomial f in eps and z = Exp[eps/q] *)
next[f_, a_] := Expand[D[f, eps] + z/q*D[f, z] - a*f];
atZero[f_] := f /. {eps -> 0, z -> 1};
q = {unit};
