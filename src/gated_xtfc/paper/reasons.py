"""Why the reproduction differs, in plain words. Shown only where the rule of `claims` finds this difference."""

SETTINGS = "The settings behind the quoted number are not in the paper; "
TRAINING = (
    "Trained here in double precision, by Adam and then L-BFGS, on inputs scaled to [−1, 1]; the settings of the "
    "quoted study are not in the paper."
)
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
    ("twin.accuracy", "worse here"): (
        "Splits no closer than 0.01 to the ends leave each layer, of thickness 5 × 10⁻⁵, some six spacings; and the "
        "objective on uniform points does not see it."
    ),
}


def reason(claim: str, verdict: str) -> str:
    return REASONS.get((claim, verdict), "")
