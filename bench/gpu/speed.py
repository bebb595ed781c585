"""Steps that time kernels and training."""

import json
import pathlib

from common import attempt, batch_sizes, presets
from machine import Failed


def table_rows(text):
    """The rows of a Markdown table."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in text.splitlines() if line.startswith("|")]
    for cells in lines[2:]:
        yield dict(zip(lines[0], cells))


def kernels(m):
    """time of the row kernels, of the loss, of a decoding step, and of attention by encoding and
    length"""
    for program, kinds in (("row_kernels", ("bf16", "fp32")), ("step_kernels", ("bf16", "fp16"))):
        for kind in kinds:
            try:
                text = m.program(program, "--device", m.device, "--type", kind, seconds=60)
                yield from map(json.loads, text.splitlines())
            except Failed as error:
                yield {"kernel": f"all of {program}", "type": kind, "failed": str(error)}
    yield from attention(m, "auto", "none", "diet-rel", "shaw(clip=16)")
    if not m.trial:  # to compare with the wgmma kernel that auto chooses
        yield from attention(m, "cuda", "none", "diet-rel")
        for encoding in ("none", "diet-rel", "shaw(clip=16)"):  # to compare with packed tiles
            yield from attention(m, "auto", encoding, lengths=("28", "20-60"), tiles="single")
            yield from attention(m, "auto", encoding, lengths=("28",))
        for length in ("512", "2048"):  # side by side
            yield from attention(m, "auto", "diet-rel", lengths=(length,), dropout="0")
            yield from flex_attention(m, length)


LENGTHS = ("20-60", "20-128", "512", "2048")


def attention(m, backend, *encodings, lengths=LENGTHS, dropout="0.1", tiles="packed"):
    rounds, calls = ("1", "1") if m.trial else ("11", "4")
    lengths = ("20-60",) if m.trial else lengths
    named = {"kernel": f"attention, dropout {dropout}", "backend": backend, "tiles": tiles}
    try:
        text = m.program(
            "attention", "--device", m.device, "--type", "bf16", "--backend", backend,
            "--tokens", str(batch_sizes(m)[0]), "--rounds", rounds, "--calls", calls,
            "--threads", "8", "--dropout", dropout, "--tiles", tiles, "--lengths", *lengths,
            "--encodings", *encodings, seconds=120)
        yield from ({**named, **row} for row in table_rows(text))
    except Failed as error:
        yield {**named, "failed": str(error)}


def flex_attention(m, length):
    script = pathlib.Path(__file__).with_name("flex_attention.py")
    try:
        text = m.python(script, "--tokens", str(batch_sizes(m)[0]), "--lengths", length,
                        seconds=60)
        yield from map(json.loads, text.splitlines())
    except Failed as error:
        yield {"kernel": "FlexAttention, diet-rel, dropout 0", "failed": str(error)}


def timed_text(m):
    """Source, target and tokenizer of the batches that `base` is timed on."""
    if (m.data / "base.model").exists():
        return m.data / "base.src", m.data / "base.tgt", m.data / "base.model"
    return m.data / "train.en", m.data / "train.de", m.data / "multi30k.model"


def timed_updates(m):
    return ("2", "1") if m.trial else ("20", "10")


def dietmt_speed(m, preset, tokens, precision, batches, *options):
    source, target, tokenizer = timed_text(m)
    updates, warmup = timed_updates(m)
    text = m.program(
        "training_speed", "--source", source, "--target", target, "--tokenizer", tokenizer,
        "--preset", preset, "--batch-tokens", str(tokens), "--device", m.device,
        "--precision", precision, "--updates", updates, "--warmup", warmup, "--dropout", "0.1",
        "--threads", "8", "--write-batches", batches, *options, seconds=120)
    found = json.loads(text)
    return found["vocabulary"], {
        "tokens_per_second": round(found["target_tokens_per_second"]),
        "milliseconds": round(found["seconds_per_update"] * 1e3, 2),
        "host_milliseconds": round(found["host_seconds_per_update"] * 1e3, 2),
        "megabytes": round(found.get("peak_megabytes", 0))}


def pytorch_speed(m, preset, precision, batches, vocabulary, *options):
    updates, warmup = timed_updates(m)
    found = json.loads(m.python(
        m.work / "pytorch_baseline.py", "--batches", batches, "--vocab", str(vocabulary),
        "--preset", preset, "--device", m.device, "--precision", precision,
        "--updates", updates, "--warmup", warmup, "--dropout", "0.1", "--threads", "8",
        *options, seconds=150).splitlines()[-1])
    return {"tokens_per_second": round(found["target_tokens_per_second"]),
            "milliseconds": round(found["median_seconds_per_update"] * 1e3, 2),
            "megabytes": round(found["peak_megabytes"])}


def speeds(m, preset, tokens, precision, trainers, *options):
    """dietmt, then PyTorch on the same batches."""
    row = {"preset": preset, "batch_tokens": tokens, "precision": precision}
    batches = m.work / f"batches-{tokens}.jsonl"
    try:
        vocabulary, measured = dietmt_speed(m, preset, tokens, precision, batches, *options)
    except Failed as error:
        yield {**row, "trainer": "dietmt", "failed": str(error)}
        return
    yield {**row, "trainer": " ".join(("dietmt", *options)), **measured}
    for name, arguments in trainers.items():
        yield attempt({**row, "trainer": name}, lambda: pytorch_speed(
            m, preset, precision, batches, vocabulary, *arguments))


PADDED = {"PyTorch": ()}
PACKED = {"PyTorch, packed": ("--packed",)}
COMPILED = {"PyTorch, packed, compiled": ("--packed", "--compile")}


def training(m):
    """`tiny` and `base` compared with PyTorch trainers on the same batches"""
    for preset in presets(m):
        for tokens in batch_sizes(m):
            yield from speeds(m, preset, tokens, "bf16", {**PADDED, **PACKED})
            yield from speeds(m, preset, tokens, "bf16", {}, "--graphs")
    for preset in presets(m):
        for tokens in batch_sizes(m):
            yield from speeds(m, preset, tokens, "fp32", PADDED)
    for tokens in batch_sizes(m):  # compiling takes longest, and may not work
        yield from speeds(m, presets(m)[0], tokens, "bf16", COMPILED)


def bert_speed(m, preset, batches, *options):
    updates, warmup = timed_updates(m)
    text = m.program(
        "bert_speed", "--train", timed_text(m)[0], "--tokenizer", m.data / "bert.model",
        "--preset", preset, "--updates", updates, "--warmup", warmup, "--device", m.device,
        "--precision", "bf16", "--threads", "8", "--write-batches", batches, *options,
        seconds=120)
    return json.loads(text)


def tokens_per_second(found):
    return {"tokens_per_second": round(found["tokens_per_second"])}


def bert(m):
    """pre-training of a small and a large BERT in bf16 compared with Hugging Face's Trainer,
    and with position encodings that it lacks"""
    for preset in ("mini",) if m.trial else ("mini", "base"):
        batches = m.work / f"bert-{preset}.jsonl"
        row = {"preset": preset, "batch_tokens": 1024 if m.trial else 8192}
        size = ("--batch-tokens", str(row["batch_tokens"]))
        for position in ("learned", "t5", "tupe-r", "diet-rel", "diet-abs(rank=32,share=layers)"):
            yield attempt({**row, "trainer": "dietmt --graphs", "position": position},
                          lambda: tokens_per_second(bert_speed(
                              m, preset, batches, *size, "--position", position, "--graphs")))
        row["position"] = "learned"
        try:
            shape = bert_speed(m, preset, batches, *size)
        except Failed as error:
            yield {**row, "trainer": "dietmt", "failed": str(error)}
            continue
        yield {**row, "trainer": "dietmt", **tokens_per_second(shape)}
        yield attempt({**row, "trainer": "transformers"}, lambda: tokens_per_second(json.loads(
            m.python(m.work / "huggingface_trainer.py", "--batches", batches, "--warmup",
                     timed_updates(m)[1], "--model", json.dumps(shape),
                     seconds=120).splitlines()[-1])))


def sweep(m):
    """`base` in bf16 by encoding and batch size, and `big`"""
    for position in ("diet-rel", "shaw(clip=16)", "rope", "t5", "tupe-r", "diet-abs"):
        yield from speeds(m, "base", batch_sizes(m)[0], "bf16", {}, "--position", position)
    yield from speeds(m, "big", batch_sizes(m)[0], "bf16", PACKED)
    for tokens in (4096, 8192, 16384, 32768, 65536):
        yield from speeds(m, "base", tokens, "bf16", PACKED)
