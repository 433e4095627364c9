"""Runs a command within CPU seconds, whatever else the machine does: what benches count must not hang on how busy it is.

A process that has used up its share is interrupted as by Ctrl-C, so that blitz still prints what it knows. What the command starts counts once it has
ended, as the system counts it. One command at a time: the CPU time of children is the whole process's.
"""
import os, resource, signal, subprocess, tempfile, time

TICKS = os.sysconf("SC_CLK_TCK")


def used(pid):
    """CPU seconds of a process and of what it started and has waited for."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(int(fields[i]) for i in (11, 12, 13, 14)) / TICKS


def run(command, cpu_seconds, wall_seconds):
    """(exit code, stdout, stderr, wall seconds, CPU seconds, whether it was interrupted)"""
    start, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    interrupted = False
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
        while True:
            try:
                process.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                late = time.time() - start > wall_seconds
                if not interrupted and (late or used(process.pid) > cpu_seconds):
                    interrupted = True
                    process.send_signal(signal.SIGINT)
                elif used(process.pid) > 2 * cpu_seconds + 5 or time.time() - start > 2 * wall_seconds + 30:
                    os.killpg(process.pid, signal.SIGKILL)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.returncode, *texts, time.time() - start, cpu, interrupted
