"""What real tools say while they work, and what must not be taken for progress."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.progress import LOOK_AT, Track, parse, track
from mcp_tasks_tui.supervise.view import Progress

# Message, fraction.
PROGRESS: list[tuple[str, float]] = [
    # Plain words
    ("42%", 0.42),
    ("42 %", 0.42),
    ("42.5% done", 0.425),
    ("42,5 %", 0.425),
    ("45 percent complete", 0.45),
    ("progress: 0.42", 0.42),
    ("Progress=1.0", 1.0),
    ("3/10", 0.3),
    ("step 3 of 10", 0.3),
    ("step 3/10: linking", 0.3),
    ("Processing 5 of 20 files", 0.25),
    ("5 files of 20 copied", 0.25),
    ("Indexed 12,000 / 50,000 documents", 0.24),
    ("12_000/50_000", 0.24),
    ("5 out of 20 rows checked", 0.25),
    ("3 of the 10 chapters translated", 0.3),
    ("1.5/4.0 GB", 0.375),
    ("1.5 GB / 4.0 GB", 0.375),
    ("1,5/4,0 GB", 0.375),
    ("512 kB of 4 MB", 0.128),
    ("512KiB/2MiB", 0.25),
    ("12 files remaining, 20% done", 0.2),
    ("3/10 files left", 0.7),
    ("25% remaining", 0.75),
    ("0/12 tests run", 0.0),
    ("done (10/10)", 1.0),
    ("Analysing 3/10", 0.3),
    ("全体の 42% 完了", 0.42),
    ("Étape 3/10", 0.3),
    # Builds
    ("[ 42%] Building CXX object src/CMakeFiles/app.dir/main.cpp.o", 0.42),
    ("[123/456] Building CXX object foo.cc.o", 123 / 456),
    ("    Building [=========>            ] 45/120: serde, tokio", 45 / 120),
    ("<=====--------> 42% EXECUTING [10s]", 0.42),
    ("[1,234 / 5,678] 12 actions running", 1234 / 5678),
    ("[INFO] Building example-core 1.0.3-SNAPSHOT                      [3/10]", 0.3),
    ("[3/4] Linking dependencies...", 0.75),
    ("webpack: 40% building 12/60 modules", 0.4),
    ("Compiling module 3 of 10 (Data.Map)", 0.3),
    ("[ 3 of 10] Compiling Main             ( Main.hs, Main.o )", 0.3),
    # Containers
    ("#8 [3/7] RUN pip install -r requirements.txt", 3 / 7),
    ("#12 [build 3/7] COPY . .", 3 / 7),
    ("Step 3/10 : RUN apt-get update", 0.3),
    ("a1b2c3d4: Downloading [====>      ]  12.3MB/45.6MB", 12.3 / 45.6),
    ("#12 sha256:9f8e 12.58MB / 50.33MB 1.2s", 12.58 / 50.33),
    # Downloads and copies
    ("━━━━━━━━━━━━━━━━ 12.3/45.6 MB 5.2 MB/s eta 0:00:07", 12.3 / 45.6),
    ("  1,234,567  45%   12.34MB/s    0:00:12 (xfr#5, to-chk=169/396)", 0.45),
    ("[download]  42.3% of 10.00MiB at 1.20MiB/s ETA 00:05", 0.423),
    ("Transferred: 1.234 GiB / 4.936 GiB, 25%, 12.3 MiB/s, ETA 4m2s", 0.25),
    ("[#a1b2c3 12MiB/48MiB(25%) CN:5 DL:1.2MiB ETA:27s]", 0.25),
    ("Completed 1.2 GiB/4.8 GiB (12.3 MiB/s) with 5 file(s) remaining", 0.25),
    ("[3/10 files][  1.2 MiB/  4.0 MiB]  30% Done", 0.3),
    ("model-00001-of-00003.safetensors:  42%|████▏     | 2.1G/5.0G [00:12<00:17, 170MB/s]", 0.42),
    ("archive.iso     42%[=======>          ]  1.02G  11.3MB/s    eta 2m 5s", 0.42),
    ("[0:15] 42.31%  123 files 1.234 GiB, total 456 files 2.917 GiB, 0 errors", 0.4231),
    ("Receiving objects:  42% (420/1000), 1.21 MiB | 2.00 MiB/s", 0.42),
    ("Resolving deltas: 100% (10/10), done.", 1.0),
    # Tests
    ("tests/test_store.py::test_save PASSED                          [ 42%]", 0.42),
    ("tests/test_api.py ......s..x...                                [ 17%]", 0.17),
    ("Running test 42 of 168: login works", 0.25),
    ("[5/20] Test #5: parser ........   Passed    0.12 sec", 0.25),
    ("Tests: 5/20 passed", 0.25),
    # Migrations and data
    ("Applying migration 3 of 12: add_users_index", 0.25),
    ("Migrated 250000/1000000 rows", 0.25),
    ("Reindexing: 12k/48k documents", 0.25),
    ("(Reading database ... 45%", 0.45),
    ("Progress: [ 42%] [########..........]", 0.42),
    ("Backfill batch 7/28 (users)", 0.25),
    ("Copying table 3 of 12 (orders), chunk 9/10", 0.25),
    ("pages: 30/120", 0.25),
    # Training
    ("Epoch 3/10, loss 0.42, acc 81.5%", 0.3),
    ("Epoch 3/10:  45%|████▌     | 450/1000 [01:10<01:26, 6.36it/s]", 0.245),
    ("Step 1200/4800 | loss 2.31 | lr 3e-4", 0.25),
    ("  42%|████▏     | 42/100 [00:10<00:14,  4.20it/s]", 0.42),
    ("250/1000 [======>.......................] - ETA: 30s - loss: 0.69", 0.25),
    ("Epoch 1.5/3.0 running", 0.5),
    # Deploys and media
    ("Waiting for rollout: 2 of 8 updated replicas are available...", 0.25),
    ("frame 250 of 1000 encoded, quality 80%", 0.25),
    ("Encoding: task 1 of 1, 42.00 % (60.12 fps, avg 58.33 fps, ETA 00h03m)", 0.42),
    ("Uploading artifact: 42% (CPU 90%)", 0.42),
    ("CPU at 85%, 30% done", 0.3),
    ("attempt 2 of 5: 30% done", 0.3),
    # A count of steps, and beside it the server's own percentage of the whole
    ("Step 2/14: 10%", 0.10),
    ("Step 9/14: 68%", 0.68),
    ("step 1/14 (0%)", 0.0),
    ("step 14 of 14 - 97%", 0.97),
    ("Stage 4/12, 25%", 0.25),
    ("[3/14] 18% linking", 0.18),
    ("10% (step 2 of 14)", 0.10),
    ("Step 2/4: 30%", 0.30),
    ("Table 3/12: 20% exported", 0.20),
    # A percentage of the one step that is under way
    ("Step 3/10: 80%", 0.28),
    ("Step 3/10: 5%", 0.205),
    ("Epoch 3/10: 45%", 0.245),
    ("Epoch 3/10: 25%", 0.225),
    ("Epoch 3/10: 99%", 0.299),
    ("Epoch 3/10:  25%|██▌       | 250/1000 [00:40<02:00]", 0.225),
    ("Step 3/10:  25%|██▌       | 250/1000 [00:40<02:00]", 0.225),
    ("Step 1/2: 80%", 0.40),
    ("Step 2/3: 10%", 1.1 / 3),
    ("Overall 28%, step 3/10", 0.28),
    ("Epoch 3/10 (28% overall)", 0.28),
    ("Step 3/10 (28% overall)", 0.28),
    ("Chunk 5/10 at 80%", 0.48),
    ("Validation: 12/48 | top1 71.2% | top5 90.1%", 0.25),
    ("98/100 tests passed, 2 failed", 0.98),
    ("Extracting : openssl-1:3.0.7-24.el9.x86_64                    12/48", 0.25),
    ("vacuuming public.users: scanned 1200 of 4800 pages", 0.25),
    ("remote: Compressing objects:  50% (3/6)", 0.5),
    ("GPU 0: 55% used. Rendering frame 25/100", 0.25),
]

NO_PROGRESS = [
    "",
    "   ",
    "Searching...",
    "Still creating... [10s elapsed]",
    # Dates and times
    "2026/11/29 17:03:43 starting",
    "backup of 2026-11-29",
    "due on 3/10",
    "snapshot since 11/29",
    "29/11/2026",
    "12:30/13:30",
    "time=00:01:02.33 bitrate=2097.2kbits/s speed=1.0x",
    "elapsed 0:03/0:10",
    # Versions, paths, addresses
    "Compiling serde v1.0.195",
    "Downloading numpy-1.26.0-cp311-cp311-linux_x86_64.whl (18.2 MB)",
    "upgrading 3.11/3.12",
    "HTTP/1.1 200 OK",
    "Collecting pydantic>=2.9,<3",
    "listening on localhost:8080/3",
    "10.0.0.0/24",
    "reading /var/log/3/10.txt",
    "src/3/10/main.py",
    "https://example.org/3/10",
    "GET /items/3/10",
    "see https://example.org/a%20b",
    "python 2/3 compatible",
    "Unpacking libfoo (1.2-3/4) over (1.2-2)",
    # Ratios and idioms
    "24/7",
    "screen 1920/1080",
    "aspect ratio 9/16",
    "rated 4/5",
    "scored 8 out of 10",
    "4/5 stars",
    "read 1.5 GB/s",
    "5 MB/s",
    "3/0",
    "12/10",
    "-5%",
    "150%",
    # Counts of something else
    "Connection lost, retry 3/5",
    "retrying (2/5)",
    "Attempt 2 of 5",
    "worker 3/8 started",
    "3/10 checks failed",
    "5% failed",
    "to-chk=169/396",
    "Plan: 3 to add, 0 to change, 1 to destroy",
    "Apply complete! Resources: 3 added, 0 changed, 0 destroyed.",
    "frame= 1234 fps= 30 q=28.0 size=    1024kB",
    "{'loss': 0.52, 'epoch': 1.2}",
    "progress: 5.0 s, 1234.5 tps, lat 0.810 ms",
    "Running upgrade 1975ea83b712 -> ae1027a6acf",
    "retry in 5s (2/5)",
    "queue position 3/10",
    "3 of 8,000 files infected",
    "2 of 10 workers busy",
    "4/8 GPUs available",
    "3 min of 10 min elapsed",
    "sleeping 30 of 60 s",
    "30/60 fps",
    "2/3 majority",
    "May 3/10",
    "RFC 2616/9110",
    # Gauges
    "disk usage 12/50 GB",
    "Memory: 3.2/16.0 GB",
    "using 3.2/16 GB of memory",
    "Confidence 3/10",
    "CPU at 85%",
    "cpu: 85%",
    "memory usage is at 72%",
    "disk 85% full",
    "accuracy 92.1%",
    "coverage: 87%",
    "packet loss 0%",
    "30% faster than before",
    "reduced by 30%",
    "more than 50% of users",
    "battery 50%",
    "shifting 25% of traffic",
    "99.9% uptime",
    "val_acc=81%",
]


def test_the_tables_are_large() -> None:
    assert len(PROGRESS) >= 60
    assert len(NO_PROGRESS) >= 40


@pytest.mark.parametrize(("message", "fraction"), PROGRESS)
def test_progress_is_found(message: str, fraction: float) -> None:
    found = parse(message)
    assert found is not None
    assert found.fraction == pytest.approx(fraction)


@pytest.mark.parametrize("message", NO_PROGRESS)
def test_other_numbers_are_left_alone(message: str) -> None:
    assert parse(message) is None


def test_a_size_keeps_its_unit_and_its_numbers() -> None:
    found = parse(ServerText("1.5/4.0 GB"))
    assert found == Progress(0.375, "1.5/4 GB", 1.5, 4.0)


def test_sizes_of_two_units_are_compared_as_bytes() -> None:
    found = parse("512 KiB / 2 MiB")
    assert found is not None
    assert (found.done, found.total, found.text) == (0.5, 2.0, "0.5/2 MiB")


def test_a_percentage_and_a_count_that_agree_give_the_count() -> None:
    found = parse("Receiving objects: 42% (420/1000)")
    assert found is not None
    assert (found.done, found.total) == (420, 1000)


def test_only_the_beginning_is_looked_at() -> None:
    assert parse("x" * (LOOK_AT + 1) + " 42%") is None
    assert parse("42% " + "x" * 5_000_000) == Progress(0.42, "42%")


@given(st.text(st.sampled_from("0123456789/%., kMBof[(:-step")) | st.text())
def test_whatever_is_said_a_fraction_is_a_fraction(message: str) -> None:
    found = parse(message)
    assert found is None or 0 <= found.fraction <= 1


@pytest.mark.parametrize(
    "piece", ["9", "9,999", "1/", "1 of ", " 1 aa", "step ", "[a ", "% 1", "((("]
)
def test_hostile_repetition_costs_nothing(piece: str) -> None:
    started = time.process_time()
    parse(piece * 5_000)
    assert time.process_time() - started < 0.05


def _way(*points: tuple[float, str]) -> Track:
    way: Track | None = None
    for at, message in points:
        way = track(way, parse(message), at)
    assert way is not None
    return way


def test_one_point_gives_no_rate() -> None:
    progress = _way((0, "10%")).progress
    assert (progress.rate, progress.eta) == (None, None)


def test_two_points_give_rate_and_eta() -> None:
    progress = _way((0, "10/100"), (10, "20/100")).progress
    assert progress.rate == pytest.approx(1.0)
    assert progress.eta == pytest.approx(80)


def test_time_left_runs_down_while_nothing_moves() -> None:
    way = _way((0, "10/100"), (10, "20/100"))
    for still in (5, 10, 15, 20):
        after = track(way, parse("20/100"), 10 + still)
        assert after is not None
        assert after.progress.rate == pytest.approx(1.0)
        assert after.progress.eta == pytest.approx(80 - still)


@pytest.mark.parametrize(
    ("gap", "still_for", "estimated"),
    [(1, 14, True), (1, 16, False), (10, 19, True), (10, 21, False), (60, 119, True)],
)
def test_longer_than_usual_without_progress_there_is_no_estimate(
    gap: float, still_for: float, estimated: bool
) -> None:
    way = _way((0, "10/1000"), (gap, "20/1000"), (2 * gap, "30/1000"))
    after = track(way, parse("30/1000"), 2 * gap + still_for)
    assert after is not None
    assert (after.progress.rate is not None, after.progress.eta is not None) == (
        estimated,
        estimated,
    )
    assert after.progress.done == 30


def test_what_should_have_ended_has_no_time_left() -> None:
    after = track(_way((0, "40/100"), (50, "90/100")), parse("90/100"), 61)
    assert after is not None
    assert after.progress.eta is None


def test_a_percentage_has_its_rate_in_fractions() -> None:
    assert _way((0, "10%"), (10, "20%")).progress.rate == pytest.approx(0.01)


def test_a_message_without_progress_keeps_what_was_known() -> None:
    way = _way((0, "10%"), (10, "20%"))
    assert track(way, None, 20) is way
    assert track(None, None, 20) is None


@pytest.mark.parametrize(
    ("at", "message"),
    [(20, "5/100"), (20, "30/200"), (5, "30/100")],
    ids=["it goes back", "another total", "the clock goes back"],
)
def test_a_new_beginning_forgets_the_rate(at: float, message: str) -> None:
    way = track(_way((0, "10/100"), (10, "20/100")), parse(message), at)
    assert way is not None
    assert way.progress.rate is None
    assert len(way.points) == 1


def test_an_eta_of_ages_is_not_shown() -> None:
    progress = _way((0, "0%"), (1_000_000, "1%")).progress
    assert progress.rate is not None
    assert progress.eta is None


def test_old_points_are_dropped_so_that_a_change_of_pace_is_seen() -> None:
    slow = [(float(at), f"{at}/1000") for at in range(50)]
    fast = [(50.0 + at, f"{50 + at * 10}/1000") for at in range(20)]
    assert _way(*slow, *fast).progress.rate == pytest.approx(10)
