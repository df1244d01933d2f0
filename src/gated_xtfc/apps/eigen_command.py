"""`gated-xtfc eigen`: options -> Problem -> Spectrum -> table or JSON, and files."""

from argparse import Namespace

from gated_xtfc.apps.display import EigenLine
from gated_xtfc.apps.output import OutputFolder, json_text, tell
from gated_xtfc.apps.statement import amended, those_given
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.files import write_text
from gated_xtfc.problem.file import from_mapping, read
from gated_xtfc.solution.table import write_csv
from gated_xtfc.spectra.eigen import eigen
from gated_xtfc.spectra.spectrum import Spectrum

FILES = ("spectrum.png", "spectrum.svg", "spectrum.csv", "spectrum.json", "modes.csv")


def run(arguments: Namespace) -> int:
    statement = amended(read(arguments.file), arguments.set, unknown=arguments.unknown)
    problem = from_mapping({key: value for key, value in statement.items() if key not in ("guess", "continuation")})
    folder = OutputFolder.asked(arguments.out, FILES)
    limits = those_given(max_neurons=arguments.max_neurons, max_seconds=arguments.max_seconds)
    with EigenLine(quiet=arguments.json) as line:
        spectrum = eigen(problem, arguments.count, place(arguments.near), arguments.tol, progress=line, **limits)
    report = json_text({**spectrum.summary(), "problem": problem.to_dict()})
    if folder is not None:
        write(spectrum, report, folder)
    if arguments.json:
        tell(report)
    else:
        tell(spectrum.table())
        tell(f"{spectrum.status}: {spectrum.message} ({spectrum.neurons} neurons, {spectrum.seconds:.3g} s)")
    return 0 if spectrum.converged else 1


def place(text: str | None) -> str | complex | None:
    """`0.25+0.01i` -> a complex number; a word stays a word."""
    if text is None or text in ("smallest", "largest real"):
        return text
    try:
        return complex(text.replace(" ", "").replace("i", "j"))
    except ValueError:
        raise InputError(
            f'--near takes "smallest", "largest real" or a number such as 0.25+0.01i, not {quoted(text)}'
        ) from None


def write(spectrum: Spectrum, report: str, folder: OutputFolder) -> None:
    from gated_xtfc.plots.spectrum_figure import plot_spectrum  # matplotlib takes longer to import than most spectra

    plot_spectrum(spectrum, folder["spectrum.png"], folder["spectrum.svg"])
    spectrum.to_csv(folder["spectrum.csv"])
    write_text(folder["spectrum.json"], report + "\n")
    modes = spectrum.sampled(1001)
    if modes:
        write_csv(folder["modes.csv"], list(modes), list(modes.values()))
