"""Many unknowns and a posterior of an odd shape: the affine-invariant ensemble sampler of emcee, an extra."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.errors import InputError
from gated_xtfc.extras import install
from gated_xtfc.types import Array

BURN, KEPT = 2**14, 2**16  # states of all walkers together, which start where the posterior lives
LEAST, APART = 100, 10  # steps of every walker, and those between two that are kept


def sample(log_posterior: Callable[[Array], Array], starts: Array, random: np.random.Generator) -> Array:
    """Draws (n, p) from a density on the unit cube, its walkers starting from `starts` (walkers, p)."""
    try:
        import emcee
    except ImportError:
        raise InputError(f"the posterior of so many unknowns needs the sampler emcee: {install('inverse')}") from None

    def bounded(places: Array) -> Array:
        inside = np.all((places >= 0.0) & (places <= 1.0), axis=1)
        found = np.full(places.shape[0], -np.inf)
        if inside.any():
            found[inside] = log_posterior(places[inside])
        return found

    walkers, p = starts.shape
    # walkers must not start on top of each other
    begin = np.clip(starts + 1e-6 * random.standard_normal(starts.shape), 1e-9, 1.0 - 1e-9)
    ensemble = emcee.EnsembleSampler(walkers, p, bounded, vectorize=True)
    ensemble.random_state = np.random.RandomState(random.integers(2**31)).get_state()
    state = ensemble.run_mcmc(begin, max(BURN // walkers, LEAST))
    ensemble.reset()
    ensemble.run_mcmc(state, max(KEPT // walkers, LEAST))
    return np.asarray(ensemble.get_chain(flat=True, thin=APART), dtype=np.float64)
