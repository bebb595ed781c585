#!/usr/bin/env python3
"""Small models of CTranslate2 with random weights, and what CTranslate2 computes with them.

    make_ctranslate2_cases.py DIR     one directory or package per case; needs ctranslate2 4.8,
                                      sentencepiece, torch, and for the last three transformers and
                                      protobuf

A case is a directory as the converters of CTranslate2 write it, and NAME.json: sources as text,
targets as pieces, their log-probabilities (with that of end of sentence), and the translations of
the sources with beam 1 and, where the model clearly prefers some sentence, beam 5: CTranslate2 ends
a search at another step than dietmt, which shows only if all translations are about as likely.
The beam search of rotary and alibi is reference_search.py with the scores of CTranslate2.
Cases differ in norms, activations, ties, positions, biases, vocabularies and the ends of sources:

    argos     an .argosmodel: OpenNMT-py's pre-norm with a table of sinusoids, one vocabulary and
              sentencepiece.model, sources without an end, weights in int8
    relative  vectors of offsets, swish, RMS norms, no biases, gated, two vocabularies
    rotary    rotary positions: in halves with another base in the encoder, interleaved and scaled in
              the decoder
    alibi     ALiBi in the decoder, no positions stored for the encoder, four heads
    prefixed  relative, with a piece that every translation begins with
    nllb, t5, madlad   models of make_transformers_cases.py, which CTranslate2 converted; what they
              compute is in transformers_cases/
    learned   post-norm, gelu, a learned table, embeddings without a scale that are tied to the
              output, a decoder that starts from end of sentence, weights in fp16
"""

import argparse
import json
import math
import pathlib
import shutil
import zipfile

import ctranslate2
import numpy
import torch
from ctranslate2.specs import attention_spec, common_spec, transformer_spec

from make_words import SOURCE, TARGET, pieces_of, sentences, write_pieces
from reference_search import beam_search

WIDTH, HEADS, INNER = 16, 2, 24
LONGEST = 40
OPTIONS = dict(max_decoding_length=LONGEST, min_decoding_length=0, length_penalty=1,
               disable_unk=True, suppress_sequences=[["<s>"]])
draw = numpy.random.RandomState(5)


def weights(*shape, scale=0.3):
    return (draw.randn(*shape) * scale).astype(numpy.float32)


def fill_linear(spec, outputs, inputs, bias):
    spec.weight = weights(outputs, inputs)
    if bias:
        spec.bias = weights(outputs, scale=0.1)


def fill_norm(spec, rms):
    spec.gamma = 1 + weights(WIDTH, scale=0.1)
    if not rms:
        spec.beta = weights(WIDTH, scale=0.1)


def fill_attention(spec, outputs, rms, bias, clip=0):
    for linear, size in zip(spec.linear, outputs):
        fill_linear(linear, size, WIDTH, bias)
    fill_norm(spec.layer_norm, rms)
    if clip:
        spec.relative_position_keys = weights(2 * clip + 1, WIDTH // HEADS)
        spec.relative_position_values = weights(2 * clip + 1, WIDTH // HEADS)


def fill_stack(stack, decoder, rms=False, bias=True, clip=0):
    for layer in stack.layer:
        fill_attention(layer.self_attention, (3 * WIDTH, WIDTH), rms, bias, clip)
        if decoder:
            fill_attention(layer.attention, (WIDTH, 2 * WIDTH, WIDTH), rms, bias)
        fill_linear(layer.ffn.linear_0, INNER, WIDTH, bias)
        if hasattr(layer.ffn, "linear_0_noact"):
            fill_linear(layer.ffn.linear_0_noact, INNER, WIDTH, bias)
        fill_linear(layer.ffn.linear_1, WIDTH, INNER, bias)
        fill_norm(layer.ffn.layer_norm, rms)
    if hasattr(stack, "layer_norm"):
        fill_norm(stack.layer_norm, rms)


def interleaved(positions):
    angles = numpy.arange(positions)[:, None] * 10000 ** (-numpy.arange(0, WIDTH, 2) / WIDTH)
    return numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(positions, WIDTH).astype(
        numpy.float32)


def output(size, pieces):
    bias = numpy.zeros(size, numpy.float32)
    bias[pieces.index("</s>")] = 1.5  # so that translations end
    return bias


def argos(directory):
    write_pieces(directory / "sentencepiece.model", SOURCE + TARGET, 48)
    pieces = ["<unk>", "<blank>", "<s>", "</s>"]
    pieces += [p for p in pieces_of(directory / "sentencepiece.model") if p not in pieces]
    spec = transformer_spec.TransformerSpec.from_config(2, HEADS)
    fill_stack(spec.encoder, decoder=False)
    fill_stack(spec.decoder, decoder=True)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = weights(len(pieces), WIDTH)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.decoder.projection.bias = output(len(pieces), pieces)
    for stack in (spec.encoder, spec.decoder):
        stack.position_encodings.encodings = interleaved(64)
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    return spec, "int8", {}


def lists(extra=()):
    return (["<blank>", "<unk>", "<s>", "</s>", *SOURCE, *extra],
            ["<blank>", "<unk>", "<s>", "</s>", *TARGET])


def relative(_):
    source, target = lists(["zebra"])
    spec = transformer_spec.TransformerSpec.from_config(
        (1, 2), HEADS, with_relative_position=True, activation=common_spec.Activation.SWISH,
        ffn_glu=True, rms_norm=True, alignment_layer=1)
    fill_stack(spec.encoder, decoder=False, rms=True, bias=False, clip=3)
    fill_stack(spec.decoder, decoder=True, rms=True, bias=False, clip=3)
    spec.encoder.embeddings[0].weight = weights(len(source), WIDTH)
    spec.decoder.embeddings.weight = weights(len(target), WIDTH)
    spec.decoder.projection.weight = weights(len(target), WIDTH)
    spec.decoder.projection.bias = output(len(target), target)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    return spec, None, {"add_source_eos": True}


def learned(_):
    pieces = list(dict.fromkeys(lists()[0] + lists()[1]))
    spec = transformer_spec.TransformerSpec.from_config(
        2, HEADS, pre_norm=False, activation=common_spec.Activation.GELU)
    fill_stack(spec.encoder, decoder=False)
    fill_stack(spec.decoder, decoder=True)
    spec.encoder.scale_embeddings = spec.decoder.scale_embeddings = False
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = weights(
        len(pieces), WIDTH, scale=0.5)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.decoder.projection.bias = output(len(pieces), pieces)
    spec.encoder.position_encodings.encodings = weights(40, WIDTH, scale=0.5)
    spec.decoder.position_encodings.encodings = weights(40, WIDTH, scale=0.5)
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    return spec, "float16", {"add_source_eos": True, "decoder_start_token": "</s>"}


def fill_model(spec, seed):
    draw.seed(seed)
    source, target = lists()
    fill_stack(spec.encoder, decoder=False)
    fill_stack(spec.decoder, decoder=True)
    spec.encoder.embeddings[0].weight = weights(len(source), WIDTH)
    spec.decoder.embeddings.weight = weights(len(target), WIDTH)
    spec.decoder.projection.weight = weights(len(target), WIDTH, scale=0.6)
    spec.decoder.projection.bias = output(len(target), target)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)


def rotary(_):
    spec = transformer_spec.TransformerSpec(
        transformer_spec.TransformerEncoderSpec(2, HEADS, rotary_dim=0, rotary_interleave=False,
                                                rotary_base=5000),
        transformer_spec.TransformerDecoderSpec(
            2, HEADS, rotary_dim=WIDTH // HEADS,
            rotary_scaling_type=attention_spec.RotaryScalingType.Linear, rotary_scaling_factor=2))
    fill_model(spec, seed=8)
    return spec, None, {"add_source_eos": True}


def alibi(_):
    spec = transformer_spec.TransformerSpec(
        transformer_spec.TransformerEncoderSpec(2, 4),
        transformer_spec.TransformerDecoderSpec(2, 4, alibi=True))
    fill_model(spec, seed=8)
    return spec, None, {"add_source_eos": True}


def searched(translator, source, pieces, beam):
    """The translation that reference_search.py finds."""
    begin, end = pieces.index("<s>"), pieces.index("</s>")

    def next_scores(prefixes):
        rows = []
        for prefix in prefixes:
            before = [pieces[i] for i in prefix[1:]]
            found = translator.score_batch([source] * len(pieces), [before + [p] for p in pieces])
            row = [one.log_probs[len(before)] for one in found]
            row[end] = translator.score_batch([source], [before])[0].log_probs[-1]
            row[begin] = row[pieces.index("<unk>")] = -math.inf
            rows.append(row)
        return torch.tensor(rows)

    return [pieces[i] for i in beam_search(next_scores, begin, end, beam, LONGEST)]


def reference(model, sources, splits, joins, is_flat, searches=False):
    translator = ctranslate2.Translator(str(model), compute_type="float32")
    words = [splits(line) for line in sources]
    # Only sentences that end: the programs count the longest translation in different ways.
    ends = [all(len(h) < LONGEST for h in one.hypotheses + other.hypotheses)
            for one, other in zip(*(translator.translate_batch(words, beam_size=beam,
                                                               num_hypotheses=beam, **OPTIONS)
                                    for beam in (1, 5)))]
    sources = [line for line, does in zip(sources, ends) if does][:20]
    words = [splits(line) for line in sources]
    targets = [[TARGET[i % len(TARGET)] for i in range(n, 2 * n)] for n in range(1, 9)]
    targets = [splits(" ".join(target)) for target in targets]
    scored = translator.score_batch(words[:len(targets)], targets)
    def translations(beam):
        if searches and beam > 1:
            return [joins(searched(translator, line, lists()[1], beam)) for line in words]
        found = translator.translate_batch(words, beam_size=beam, **OPTIONS)
        return [joins(one.hypotheses[0]) for one in found]

    return {"sources": sources, "targets": targets,
            "token_scores": [[round(s, 6) for s in one.log_probs] for one in scored],
            "greedy": translations(1), **({} if is_flat else {"beam": translations(5)})}


def write_case(directory, name, make):
    case = directory / name
    case.mkdir(parents=True)
    spec, quantization, config = make(case)
    for key, value in config.items():
        setattr(spec.config, key, value)
    spec.validate()
    spec.optimize(quantization=quantization)
    model = case / "model" if name == "argos" else case
    model.mkdir(exist_ok=True)
    spec.save(str(model))
    sources = sentences(SOURCE, 200, 7)
    if name == "argos":
        import sentencepiece
        processor = sentencepiece.SentencePieceProcessor(str(case / "sentencepiece.model"))
        splits, joins = lambda line: processor.encode(line, out_type=str), processor.decode
    else:
        splits, joins = str.split, " ".join
    (directory / f"{name}.json").write_text(
        json.dumps(reference(model, sources, splits, joins, name == "learned",
                             name in ("rotary", "alibi")), ensure_ascii=False) + "\n")
    if name != "argos":
        return
    (case / "metadata.json").write_text(json.dumps({"from_code": "en", "to_code": "de"}) + "\n")
    with zipfile.ZipFile(directory / "argos.argosmodel", "w", zipfile.ZIP_DEFLATED) as package:
        for path in sorted(case.rglob("*")):
            if path.is_file():
                package.write(path, "translate-en_de-1_0/" + str(path.relative_to(case)))
    shutil.rmtree(case)


def write_prefixed(directory):
    prefix = "mag"  # few of the others leave anything to translate
    translator = ctranslate2.Translator(str(directory / "relative"), compute_type="float32")
    plain = json.loads((directory / "relative.json").read_text())
    words = [line.split() for line in plain["sources"]]
    found = translator.translate_batch(words, [[prefix]] * len(words), beam_size=1, **OPTIONS)
    begun = [[prefix, *target] for target in plain["targets"]]
    scored = translator.score_batch(words[:len(begun)], begun)
    (directory / "prefixed.json").write_text(json.dumps({
        "prefix": prefix, "sources": plain["sources"], "targets": plain["targets"],
        "token_scores": [[round(s, 6) for s in one.log_probs[1:]] for one in scored],
        "greedy": [" ".join(one.hypotheses[0][1:]) for one in found]}, ensure_ascii=False) + "\n")


def write_converted(directory, name):
    source = pathlib.Path(__file__).with_name("transformers_cases") / name
    ctranslate2.converters.TransformersConverter(str(source)).convert(str(directory / name))
    for pieces in source.glob("*.model"):
        shutil.copy(pieces, directory / name / "sentencepiece.model")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", help="these cases")
    options = parser.parse_args()
    directory = options.directory
    for name, make in (("argos", argos), ("relative", relative), ("learned", learned),
                       ("rotary", rotary), ("alibi", alibi)):
        if not options.only or name in options.only:
            write_case(directory, name, make)
    if not options.only or "prefixed" in options.only:
        write_prefixed(directory)
    for name in [] if options.only else ("nllb", "t5", "madlad"):
        write_converted(directory, name)


if __name__ == "__main__":
    main()
