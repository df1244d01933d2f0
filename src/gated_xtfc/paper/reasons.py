"""Why the reproduction differs, or agrees for another reason, in plain words: shown with the verdict it belongs to."""

SETTINGS = "The settings behind the quoted number are not in the paper; "
TRAINING = (
    "Trained here in double precision, by Adam and then L-BFGS, on inputs scaled to [−1, 1]; the settings of the "
    "quoted study are not in the paper."
)
MISSED = "The evidence itself has its largest value elsewhere: see the scan below. The noise and the search add to it."
REASONS = {
    ("table1.xtfc.error", "worse here"): (
        "By a hair: a factor of eleven. The paper does not say where the 10,000 kernels stand or how wide they are. "
        "Spread evenly they are one layer thickness apart: what is lost is in the layer."
    ),
    ("table1.ratio.seconds", "worse here"): (
        "The search is what takes the time: more than a hundred solves against one. And X-TFC is quick here, because "
        "its kernels are narrow and products with zeros are skipped."
    ),
    ("table1.gated.error", "worse here"): "See the maps of errors: what is found depends on where the search ends.",
    ("forward.peaks", "differs"): (
        "There is a peak at the split, but the largest residual is between the last sites before x = 1, inside the "
        "layer: no kernel is centred beyond the boundary. On 800 uniform points, and in a plot over x, it is not "
        "seen. It is a tenth, more or less, of the terms of the equation, which are of size 1/ν there."
    ),
    ("forward.split", "differs"): (
        "The objective has several minima in the split, and a bounded minimisation ends in one of them."
    ),
    ("state_of_the_art.pinn.1", "better here"): TRAINING,
    ("state_of_the_art.deep_tfc.1", "better here"): TRAINING,
    ("state_of_the_art.pinn.1e-2", "better here"): TRAINING,
    ("state_of_the_art.deep_tfc.1e-2", "better here"): TRAINING,
    ("state_of_the_art.deep_tfc.1e-3", "better here"): TRAINING,
    ("state_of_the_art.pielm.1e-4", "better here"): SETTINGS + "here it still gives a usable solution.",
    ("state_of_the_art.xtfc.1e-3", "better here"): (
        "With Chebyshev polynomials, whose nodes gather at the ends by themselves. With features spread evenly it is "
        "far worse."
    ),
    ("state_of_the_art.xtfc.1e-4", "better here"): (
        "With Chebyshev polynomials. With uniform Gaussians the mean error is of the order quoted."
    ),
    ("poisson.search", "differs"): (
        "The objective jumps as the random points of the disk and the sites, which are 1.4 ν apart, happen to fall: it "
        "has no basin around the peak, and any disk that covers the peak may come out best."
    ),
    ("poisson.agreement", "differs"): (
        "Most of the distance is the error of the reference, whose mesh is as wide as the source; the published "
        "solution is nearer to the exact one, and errs to the other side."
    ),
    ("twin.accuracy", "worse here"): (
        "Splits no closer than 0.01 to the ends leave each layer, of thickness 5 × 10⁻⁵, some six spacings; and the "
        "objective on uniform points does not see it."
    ),
    ("inverse.error.1e-1", "better here"): MISSED,
    ("inverse.error.1e-2", "better here"): MISSED,
    ("inverse.error.5e-3", "better here"): MISSED,
    ("inverse.error.1e-3", "better here"): (
        "The box of the search begins at 10⁻³, which is the value to be found: a search that ends on the bound has no "
        "error at all. With a box from 10⁻⁴ it has."
    ),
    ("inverse.error.1e-3", "reproduced"): (
        "Inside the range over the seeds, but the box of the search begins at 10⁻³, which is the value to be found: "
        "the median run ends on the bound and has no error at all. With a box from 10⁻⁴ it has."
    ),
    ("inverse.error.1e-3", "worse here"): MISSED,
    ("inverse.split", "differs"): (
        "For the three larger ν the evidence rises up to the end of the box of the split: the short block only has to "
        "be short, and what the determinant saves there outweighs resolution."
    ),
    ("inverse.field", "worse here"): "The field is that of another ν: its layer is too thick or too thin.",
    ("inverse.bands", "differs"): (
        "The band is that of the weights for the ν that was found. How wrong this ν may be is no part of it."
    ),
    ("meta.bands", "differs"): (
        "The band of the split is narrowest there, that of the scale is not: the objective hardly depends on the "
        "scale, and the optima scatter over much of the box."
    ),
    ("meta.objective", "differs"): (
        "The objective has many local minima in the split. Brent’s method ends in one of them; a smaller box is not a "
        "better one."
    ),
}


def reason(claim: str, verdict: str) -> str:
    return REASONS.get((claim, verdict), "")
