"""Progress bars."""

import threading

SECONDS = 0.1


def show(progress, scan):
    """Draws a bar until the run ends."""
    from tqdm.auto import tqdm

    def draw():
        _, size = scan.measure()
        with tqdm(total=size, unit="B", unit_scale=True) as bar:
            ended = threading.Event()
            while not progress.done:
                bar.update(progress.bytes - bar.n)
                bar.set_postfix_str(f"{progress.assets} assets", refresh=False)
                ended.wait(SECONDS)
            bar.update(progress.bytes - bar.n)

    threading.Thread(target=draw, name="meshpeek progress", daemon=True).start()
