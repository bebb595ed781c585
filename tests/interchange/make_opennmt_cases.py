#!/usr/bin/env python3
"""Small models of OpenNMT-py and eole with random weights, and what they compute.

    make_opennmt_cases.py DIR [LINES]     one directory per case; needs sentencepiece, subword-nmt,
                                          and OpenNMT-py 2.3 with torchtext 0.5, or OpenNMT-py 3.5;
                                          also the cases of eole 0.6 if it is installed

A case is a directory with the model and NAME.json: sources as text, targets as pieces, their
log-probabilities (with that of end of sentence), and translations of LINES sources (20) with beam 1
and beam 5. Token scores come from the program's model; reference_search.py searches over them,
because the beam search of these programs keeps finished hypotheses among its B.

    version2   OpenNMT-py 2: fields of torchtext, two vocabularies, output tied to the target's
               table
    tied       3: one vocabulary and table, BPE codes, gelu, biases in attention, three layers and
               one
    relative   3: vectors of offsets, SwiGLU, RMS norms, no biases, unscaled embeddings
    rotary     3: rotary positions, weights in a .safetensors file
    eole_plain      concatenated sinusoids, one table for all, biases
    eole_learned    learned positions, SwiGLU, RMS norms, three layers and one
    eole_rotary     rotary positions in halves, gelu
    eole_gated      no positions, tanh gelu gates
"""

import importlib.util
import json
import pathlib
import sys
import types

import sentencepiece
import torch
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from make_words import SOURCE, TARGET, sentences
from reference_search import beam_search

LONGEST = 20
SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]
BLANK = 1
POSITIONS = 40  # of stored sinusoids, which are 5000
SIZES = ["--encoder_type", "transformer", "--decoder_type", "transformer", "--heads", "2",
         "--transformer_ff", "24", "--dropout", "0.2"]
SINUSOIDS = ["--position_encoding"]
VERSION2 = {"version2": SINUSOIDS + ["--rnn_size", "16", "--word_vec_size", "16",
                                     "--share_decoder_embeddings"]}
WIDTH = ["--hidden_size", "16", "--word_vec_size", "16"]
VERSION3 = {
    "tied": SINUSOIDS + WIDTH + [
        "--share_vocab", "--share_embeddings", "--share_decoder_embeddings", "--add_qkvbias",
        "--add_ffnbias", "--pos_ffn_activation_fn", "gelu", "--enc_layers", "3",
        "--dec_layers", "1"],
    "relative": WIDTH + ["--max_relative_positions", "3", "--pos_ffn_activation_fn", "silu",
                         "--layer_norm", "rms", "--norm_eps", "1e-5"],
    "rotary": WIDTH + ["--max_relative_positions", "-1", "--add_ffnbias",
                       "--save_format", "safetensors"],
}
EOLE = {
    "eole_plain": dict(embeddings=dict(position_encoding_type="SinusoidalConcat"),
                       share_embeddings=True, share_decoder_embeddings=True, add_ffnbias=True,
                       add_qkvbias=True),
    "eole_learned": dict(embeddings=dict(position_encoding_type="Learned", n_positions=40),
                         mlp_activation_fn="gated-silu", layer_norm="rms",
                         encoder=dict(layers=3), decoder=dict(layers=1)),
    "eole_rotary": dict(embeddings=dict(position_encoding_type="Rotary"),
                        rope_config=dict(rotary_interleave=False, rotary_theta=5000),
                        mlp_activation_fn="gelu", add_ffnbias=True, norm_eps=1e-6),
    "eole_gated": dict(embeddings=dict(position_encoding_type=None),
                       mlp_activation_fn="gated-gelu-tanh"),
}


def write_spm(path):
    with open(path, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(SOURCE + TARGET, 500, 1)), model_writer=file,
            vocab_size=70, model_type="bpe", normalization_rule_name="identity", minloglevel=2)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return (lambda text: processor.encode(text, out_type=str),
            lambda pieces: "".join(pieces).replace("\u2581", " ").strip())


def write_codes(path):
    with open(path, "w") as file:
        learn_bpe(sentences(SOURCE + TARGET, 500, 1), file, 30)
    with open(path) as file:
        codes = BPE(file)
    return (lambda text: codes.process_line(text).split(),
            lambda pieces: " ".join(pieces).replace("@@ ", "").removesuffix("@@"))


def lists_of_pieces(split, is_shared):
    sides = [sorted({piece for text in sentences(words, 300, 2) for piece in split(text)})
             for words in (SOURCE, TARGET)]
    return [sorted(set(sides[0] + sides[1]))] * 2 if is_shared else sides


def randomize(model, tables):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            is_norm = "norm" in name and name.endswith("weight")
            is_table = any(table in name for table in tables)
            wide = parameter.dim() == 2 and not is_table
            deviation = 1.5 * parameter.shape[-1] ** -0.5 if wide else 0.5 if is_table else 0.2
            parameter.normal_(1.0 if is_norm else 0.0, deviation)
            if "generator" in name and name.endswith("bias"):
                parameter[BLANK] = -50  # as in trained models: after it, the program masks it
    for module in model.modules():
        if "pe" in module._buffers:
            module.pe = module.pe[:POSITIONS].clone()
    return model.eval()


class Reference:
    """logits(sources, inputs): of a batch without padding, [B, T, V]."""

    def __init__(self, logits, split, join, source, target):
        self.logits, self.split, self.join = logits, split, join
        self.source, self.target = source, target

    def ids(self, text):
        known = {piece: i for i, piece in enumerate(self.source)}
        return [known.get(piece, known["<unk>"]) for piece in self.split(text)]

    def scores(self, text, pieces):
        ids = [self.target.index(piece) for piece in pieces + ["</s>"]]
        inputs = [self.target.index("<s>")] + ids[:-1]
        found = self.logits([self.ids(text)], [inputs])[0].log_softmax(-1)
        return [round(float(row[i]), 6) for row, i in zip(found, ids)]

    def translation(self, text, beam):
        source = self.ids(text)
        never = [i for i, piece in enumerate(self.target) if piece in ("<unk>", "<s>")]

        def next_scores(prefixes):
            scores = self.logits([source] * len(prefixes), prefixes)[:, -1].log_softmax(-1)
            scores[:, never] = float("-inf")
            return scores

        ids = beam_search(next_scores, self.target.index("<s>"), self.target.index("</s>"), beam,
                          LONGEST)
        return self.join([self.target[i] for i in ids])

    def case(self, lines):
        sources = sentences(SOURCE, lines, 7)
        targets = [[piece for word in TARGET[n:2 * n] for piece in self.split(word)]
                   for n in range(1, 8)]
        return {"sources": sources, "targets": targets,
                "token_scores": [self.scores(*pair) for pair in zip(sources, targets)],
                "greedy": [self.translation(line, 1) for line in sources],
                "beam": [self.translation(line, 5) for line in sources]}


def options(arguments):
    from onmt.opts import train_opts
    from onmt.utils.parse import ArgumentParser
    parser = ArgumentParser()
    train_opts(parser)
    opt, _ = parser.parse_known_args(["--data", "{}", "--src_vocab", "-"] + arguments)
    ArgumentParser.update_model_opts(opt)
    ArgumentParser.validate_model_opts(opt)
    return opt


def optimizer():
    weight = torch.nn.Parameter(torch.zeros(2))
    adam = torch.optim.Adam([weight])
    weight.grad = torch.ones(2)
    adam.step()
    return types.SimpleNamespace(state_dict=adam.state_dict)


def version2(directory, arguments, split):
    """OpenNMT-py 2: sequences come first, and the vocabularies are fields of torchtext."""
    from onmt.inputters.fields import build_dynamic_fields
    from onmt.model_builder import build_base_model
    from onmt.models.model_saver import ModelSaver
    files = [directory.parent / f"{side}.vocab" for side in ("src", "tgt")]
    for file, pieces in zip(files, lists_of_pieces(split, False)):
        file.write_text("".join(f"{piece}\t7\n" for piece in pieces))
    opt = options(SIZES + arguments + ["--src_vocab", str(files[0]), "--tgt_vocab", str(files[1]),
                                       "--src_subword_model", "/training/spm.model"])
    opt.src_feats_vocab, opt.data_task = None, "seq2seq"
    fields = build_dynamic_fields(opt)
    for file in files:
        file.unlink()
    model = randomize(build_base_model(opt, fields, gpu=False), ("emb_luts",))
    ModelSaver(str(directory / "model"), model, opt, fields, optimizer())._save(100, model)

    def logits(sources, inputs):
        source = torch.tensor(sources).t()[:, :, None]
        before = torch.tensor([ids + ids[-1:] for ids in inputs]).t()[:, :, None]
        lengths = torch.full((len(sources),), len(sources[0]))
        return model.generator[0](model(source, before, lengths)[0]).transpose(0, 1)

    return logits, *(fields[side].base_field.vocab.itos for side in ("src", "tgt"))


def version3(directory, arguments, split):
    from onmt.inputters.inputter import dict_to_vocabs
    from onmt.model_builder import build_base_model
    from onmt.models.model_saver import ModelSaver
    lists = [SPECIALS + pieces for pieces in lists_of_pieces(split, "--share_vocab" in arguments)]
    opt = options(SIZES + arguments)
    vocabs = dict_to_vocabs({"src": lists[0], "tgt": lists[1], "data_task": "seq2seq",
                             "decoder_start_token": "<s>"})
    model = randomize(build_base_model(opt, vocabs), ("emb_luts",))
    saver = ModelSaver(str(directory / "model"), model, opt, vocabs, optimizer(), 1,
                       opt.save_format, -1)
    (saver._st_save if opt.save_format == "safetensors" else saver._save)(100, model)

    def logits(sources, inputs):
        before = torch.tensor([ids + ids[-1:] for ids in inputs])[:, :, None]
        lengths = torch.full((len(sources),), len(sources[0]))
        return model.generator(model(torch.tensor(sources)[:, :, None], before, lengths)[0])

    return logits, *lists


def eole(directory, fields, split):
    import pyonmttok
    from eole.config.run import TrainConfig
    from eole.models.model import EncoderDecoderModel
    from eole.models.model_saver import TrainingModelSaver
    lists = [SPECIALS + pieces for pieces in lists_of_pieces(split, "share_embeddings" in fields)]
    model_fields = dict(architecture="transformer", hidden_size=16, layers=2, heads=2,
                        transformer_ff=24, **fields)
    model_fields["embeddings"]["word_vec_size"] = 16
    subwords = {f"{side}_subword_model": str(directory / "spm.model") for side in ("src", "tgt")}
    config = TrainConfig(src_vocab=subwords["src_subword_model"], save_data="-",
                         share_vocab=lists[0] == lists[1],
                         tgt_vocab=subwords["tgt_subword_model"], transforms=["sentencepiece"],
                         data={}, transforms_configs={"sentencepiece": subwords},
                         model=model_fields, training=dict(model_path=str(directory)))
    vocabs = {side: pyonmttok.build_vocab_from_tokens(pieces)
              for side, pieces in zip(("src", "tgt"), lists)}
    vocabs["specials"] = dict(bos_token="<s>", pad_token="<blank>", eos_token="</s>",
                              unk_token="<unk>")
    vocabs["decoder_start_token"] = "<s>"
    model = EncoderDecoderModel.build(config.model, vocabs, config.training)
    randomize(model, ("_emb.",))
    saver = TrainingModelSaver(str(directory), model, config, vocabs)
    saver.step_dir = "."
    saver._make_symlink = lambda name: None
    saver._save_weights(model.state_dict())
    saver._save_vocab()
    saver._save_config()
    file = directory / "config.json"
    file.write_text(file.read_text().replace(str(directory), "${MODEL_PATH}"))

    def logits(sources, inputs):
        # The last is left out, and one token by itself would be a step with a cache.
        before = torch.tensor([ids + ids[-1:] * 2 for ids in inputs])
        lengths = torch.full((len(sources),), len(sources[0]))
        return model.generator(model(torch.tensor(sources), before, lengths).dec_out[:, :-1])

    return logits, *lists


@torch.no_grad()
def write_case(directory, name, make, fields, lines):
    case = directory / name
    case.mkdir(parents=True)
    torch.manual_seed(len(name))
    split, join = (write_codes(case / "bpe.codes") if name == "tied" else
                   write_spm(case / "spm.model"))
    logits, source, target = make(case, fields, split)
    reference = Reference(logits, split, join, source, target).case(lines)
    (directory / f"{name}.json").write_text(json.dumps(reference, ensure_ascii=False) + "\n")


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    import onmt
    old = onmt.__version__.startswith("2.")
    for name, arguments in (VERSION2 if old else VERSION3).items():
        write_case(directory, name, version2 if old else version3, arguments, lines)
    if not old and importlib.util.find_spec("eole"):
        for name, fields in EOLE.items():
            write_case(directory, name, eole, fields, lines)


if __name__ == "__main__":
    main()
