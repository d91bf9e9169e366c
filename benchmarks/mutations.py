"""Changed links, as many as there is time for: none may do anything but be refused or drawn.

    make mutations                            # 100,000 links, about twenty minutes
    make mutations ARGS="--count 5000"        # fewer
    make mutations ARGS="--seed 17 --from 4711 --count 1"    # one of them again

Each run draws from a new seed, which it prints. It ends at the first link that raises, prints it, and says
what the dearest refusal took: processor time, and memory in a second reading that counts it.
"""

import argparse
import secrets
import sys
import time
import tracemalloc
from collections import Counter
from random import Random

from tests.hostile.mutate import mutated_link
from tests.hostile.tried import REFUSED, try_link
from ui.scenario.link import LinkError, read_link

MOST_SECONDS = 0.050  # of processor time, for a link that is refused
MOST_MEGABYTES = 10.0
WEIGHED = 20  # every so many refusals: counting memory is slow
NEWS = 2_000  # links between two lines


def seconds_to_refuse(link: str) -> float:
    """The processor time of reading a link that is refused: the better of two, since others run here too."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        try:
            read_link(link)
        except LinkError:
            times.append(time.process_time() - begun)
    return min(times)


def megabytes_to_refuse(link: str) -> float:
    tracemalloc.start()
    try:
        read_link(link)
    except LinkError:
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
    return 0.0


def run(seed: int, first: int, count: int) -> bool:
    """Tries links until one raises; whether none did and every refusal was cheap."""
    met, dearest, heaviest = Counter(), (0.0, ""), (0.0, "")
    for number in range(first, first + count):
        link = mutated_link(Random(f"{seed}.{number}"))
        try:
            became = try_link(link)
        except Exception as error:
            print(f"Link {number} of seed {seed} raised {error!r}:\n{link}")
            return False
        met[became] += 1
        if became == REFUSED:
            dearest = max(dearest, (seconds_to_refuse(link), link))
            if met[REFUSED] % WEIGHED == 0:
                heaviest = max(heaviest, (megabytes_to_refuse(link), link))
        if (number - first + 1) % NEWS == 0:
            print(f"{number - first + 1:>8}  {dict(met)}", flush=True)
    cheap = dearest[0] <= MOST_SECONDS and heaviest[0] <= MOST_MEGABYTES
    print(f"{count} links of seed {seed}: {dict(met)}")
    print(f"dearest refusal {1000 * dearest[0]:.1f} ms (at most {1000 * MOST_SECONDS:.0f})")
    print(f"heaviest refusal {heaviest[0]:.2f} MB (at most {MOST_MEGABYTES:.0f})")
    if not cheap:
        print(f"{dearest[1]}\n{heaviest[1]}")
    return cheap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--from", type=int, default=0, dest="first")
    asked = parser.parse_args()
    seed = secrets.randbelow(10**9) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    return 0 if run(seed, asked.first, asked.count) else 1


if __name__ == "__main__":
    sys.exit(main())
