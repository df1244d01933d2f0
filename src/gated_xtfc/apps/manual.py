"""The words of `gated-xtfc --help`, and of every command: what it does, then examples and exit codes."""

OVERVIEW = """\
usage: gated-xtfc [--help] [--version] COMMAND ...

Differential equations with sharp layers: equation text in, certified solution out.

commands:
  solve       solve one problem, from a file or from options
  eigen       eigenvalues and modes of a problem with an unknown constant
  branch      follow solutions along a parameter, past folds and branch points
  infer       unknown parameters from noisy data, with their uncertainty
  sweep       solve a family over its parameters, into a store that survives a crash
  compare     this solver and its peers on one problem, side by side
  paper       reproduce the paper: one page with every table and figure
  studio      a local page: type an equation, drag its parameters
  examples    scripts of the gallery: list them, copy them
  completion  a script that completes commands and options in a shell

gated-xtfc solve --help lists the options of solve, with examples; so do the others.
"""
PAGES = {
    "solve": """\
Solve a boundary value problem, stated in a TOML file or by --equation, --domain and --condition.

examples:
  gated-xtfc solve examples/convection_diffusion.toml --set nu=1e-6 --tol 1e-10 --out out
  gated-xtfc solve --equation "u' - nu*u'' = 0" --domain x=0:1 \\
      --condition "u(0)=0" --condition "u(1)=1" --set nu=1e-4 --json
  gated-xtfc solve --equation "u' = v" --equation "v' = -exp(u)" --domain x=0:1 \\
      --condition "u(0)=0" --condition "u(1)=0" --guess "u=16*x*(1-x)" --guess "v=16-32*x"
  gated-xtfc solve --equation "u_xx + u_yy = exp(-x*y)" --domain x=0:1 --domain y=0:1 \\
      --condition "u = 0 on boundary"

exit codes: 0 converged; 1 no solution, or not to the tolerance; 2 bad input (one sentence says what)
""",
    "eigen": """\
Find eigenvalues of a problem that is linear in its fields and has one unknown constant, and their modes.

examples:
  gated-xtfc eigen examples/mathieu.toml --count 10
  gated-xtfc eigen FILE.toml --count 5 --near 0.25+0.01i --out out
  gated-xtfc eigen FILE.toml --near "largest real" --json

Every eigenvalue is found on two layouts and has an error estimate; a double one is listed twice. A condition of the
file that is not homogeneous says how modes are normalised.

exit codes: 0 all eigenvalues within the tolerance; 1 some are not (the message says why); 2 bad input
""",
    "branch": """\
Follow solutions along a parameter, past folds, and onto the curves that pass through branch points.

examples:
  gated-xtfc branch examples/bratu.toml --along k=0.1:4 --show "max(u)" --out out
  gated-xtfc branch FILE.toml --along k=0:50 --no-switch --json
  gated-xtfc branch FILE.toml --along k=0:50 --store branch.sqlite    stop it at any time: the same command goes on

The first solution is looked for at the first end of the range, then at the last. Folds and branch points are located;
where the equations diffuse, the table says which solutions are stable.

exit codes: 0 the branch was followed (the message says why every curve ends); 2 bad input, or no solution to begin with
""",
    "infer": """\
Find unknown parameters of a problem from measurements of its solution, with their uncertainty.

examples:
  gated-xtfc infer examples/convection_diffusion.toml --data examples/sensors.csv --unknown nu=1e-4:1 --noise 0.01
  gated-xtfc infer PROBLEM.toml --data FILE.csv --unknown nu=1e-4:1 --prior nu=lognormal:1e-2:0.5 --out out

The data are a CSV file with a header: the coordinate, a field or a derivative such as u', and perhaps sigma. Without
--noise and sigma the noise is inferred too. Bounds that are positive and more than a decade apart are explored in the
logarithm. Priors: uniform, loguniform, normal:MEAN:STD, lognormal:MEDIAN:SPREAD (standard deviation of the logarithm).

exit codes: 0 the posterior was found, and the message says what data do not determine; 1 it is approximate; 2 bad input
""",
    "sweep": """\
Solve a family of problems over its parameters, into a store that a second run goes on from.

examples:
  gated-xtfc sweep examples/convection_diffusion.toml --over nu=1e-8:1:500 --store sweep.sqlite
  gated-xtfc sweep examples/robin.toml --over eps=1e-6:1 --sobol 256 --quantity "u(0.5)" --quantity "max(u)" \\
      --store sweep.sqlite --csv sweep.csv
  gated-xtfc sweep FILE.toml --over nu=1e-4,1e-3,1e-2 --over a=0:1:11 --store sweep.sqlite \\
      --scheduler tcp://10.0.0.1:8786

--over takes NAME=FIRST:LAST:COUNT, NAME=VALUE,VALUE,... or, with --sobol or --random, NAME=LOW:HIGH. Values between two
ends are even in their logarithm where both are positive and a factor of 100 or more apart; a last part :log or :linear
says otherwise. Several --over make a grid of all combinations.

exit codes: 0 all points converged; 1 some did not (the table says which and why); 2 bad input; 130 interrupted
""",
    "compare": """\
Solve one problem by this solver and by its peers, and print error, size and time side by side.

examples:
  gated-xtfc compare examples/convection_diffusion.toml --set nu=1e-4
  gated-xtfc compare examples/twin_layers.toml --skip pinn --skip deep-tfc --json

The peers: the published gated X-TFC with its search, X-TFC, PIELM, PINN, Deep-TFC and SciPy's solve_bvp. Errors are
relative to max(1, max|u|), against the exact solution where the file gives it, otherwise against our own certified one.

exit codes: 0 the default solver converged; 1 it did not; 2 bad input
""",
    "paper": """\
Reproduce the Gated X-TFC paper: every table and figure, on one page.

examples:
  gated-xtfc paper --quick                smaller sizes, a few minutes: out/paper/report.html
  gated-xtfc paper --out reproduction     the sizes of the paper: an hour, and hours more for the section meta,
                                          unless --optima brings the data set that it learns from
  gated-xtfc paper --only table1 --only twin

Every result is written when it is done: the same command goes on where it was interrupted.

exit codes: 0 all done; 1 something failed (the report says what); 2 bad input
""",
    "studio": """\
Open a local page: type an equation, drag its parameters, watch the layers move.

examples:
  gated-xtfc studio
  gated-xtfc studio --port 9000 --no-browser
  gated-xtfc studio --host 0.0.0.0      # for others, too: the address printed holds a token they need

It listens on this machine only unless --host says otherwise, needs no network, and ends with Ctrl+C.
""",
    "completion": """\
Print a script that completes commands and options when the Tab key is pressed.

examples:
  eval "$(gated-xtfc completion bash)"    in ~/.bashrc; the same with zsh in ~/.zshrc
  gated-xtfc completion fish > ~/.config/fish/completions/gated-xtfc.fish
""",
    "examples": """\
List the scripts of the gallery, or copy some of them to work on.

examples:
  gated-xtfc examples                     what there is, by subject
  gated-xtfc examples burgers             a copy here: burgers.py
  gated-xtfc examples --all --to gallery  all of them

Each runs by itself, prints a few numbers and shows a picture.
""",
}
