#!/usr/bin/env python3
"""Small models of fairseq with random weights, and what they compute.

    make_fairseq_cases.py DIR [LINES]     one directory per case; needs torch, fairseq 0.12.2 and
                                          sentencepiece

A case is a directory with a checkpoint, dict.en.txt, dict.de.txt and spm.model, and NAME.json:
sources as text, targets as pieces, their log-probabilities (with that of end of sentence), and
translations of LINES sources (20) with beam 1 and beam 5. Cases differ in norms, activations, ties,
positions, depths and vocabularies, and in how the checkpoint stores its options:

    iwslt      post-norm, relu, two dictionaries, output tied to the target's embeddings; `args`, in
               the format before PyTorch 1.6
    deep       pre-norm, gelu, three layers and one, blocks of two widths, one table for all, norms of
               embeddings; `cfg` with a namespace, in fp16
    learned    post-norm, approximated gelu, a table of positions, embeddings without scale, a
               separate output; `cfg` with groups
"""

import argparse
import json
import pathlib
import sys

import sentencepiece
import torch
from fairseq.data import Dictionary
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.models import ARCH_CONFIG_REGISTRY
from fairseq.models.transformer import TransformerModel
from fairseq.sequence_generator import SequenceGenerator
from fairseq.tasks.translation import TranslationTask
from omegaconf import OmegaConf

from make_words import SOURCE, TARGET, sentences

LONGEST = 20
SIZES = dict(encoder_embed_dim=16, decoder_embed_dim=16, encoder_ffn_embed_dim=24,
             decoder_ffn_embed_dim=24, encoder_attention_heads=2, decoder_attention_heads=2,
             encoder_layers=2, decoder_layers=2)
CASES = {
    "iwslt": dict(arch="transformer_iwslt_de_en", share_decoder_input_output_embed=True),
    "deep": dict(arch="transformer_wmt_en_de_big", share_all_embeddings=True, encoder_layers=3,
                 decoder_layers=1, decoder_ffn_embed_dim=40, encoder_normalize_before=True,
                 decoder_normalize_before=True, activation_fn="gelu", layernorm_embedding=True),
    "learned": dict(arch="transformer", encoder_learned_pos=True, decoder_learned_pos=True,
                    no_scale_embedding=True, activation_fn="gelu_accurate",
                    max_source_positions=40, max_target_positions=40),
}


def write_spm(path):
    with open(path, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(SOURCE + TARGET, 500, 1)), model_writer=file,
            vocab_size=70, model_type="bpe", normalization_rule_name="identity", minloglevel=2)
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def write_dictionary(path, split, texts):
    dictionary = Dictionary()
    for text in texts:
        for piece in split(text):
            dictionary.add_symbol(piece)
    dictionary.finalize()
    dictionary.save(str(path))
    return Dictionary.load(str(path))


def write_dictionaries(directory, split, is_joined):
    texts = [sentences(words, 300, 2) for words in (SOURCE, TARGET)]
    if is_joined:
        texts = [texts[0] + texts[1]] * 2
    return [write_dictionary(directory / f"dict.{language}.txt", split, lines)
            for language, lines in zip(("en", "de"), texts)]


def options(name):
    args = argparse.Namespace(**{**SIZES, **CASES[name]}, source_lang="en", target_lang="de",
                              task="translation", criterion="cross_entropy", data=".")
    ARCH_CONFIG_REGISTRY[args.arch](args)
    args.max_source_positions = getattr(args, "max_source_positions", 1024)
    args.max_target_positions = getattr(args, "max_target_positions", 1024)
    return args


def randomize(model, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            is_norm = "norm" in name and name.endswith("weight")
            is_table = "embed_" in name
            wide = parameter.dim() == 2 and not is_table
            deviation = 1.5 * parameter.shape[-1] ** -0.5 if wide else 0.5 if is_table else 0.2
            parameter.normal_(1.0 if is_norm else 0.0, deviation)
            if "embed_tokens" in name:
                parameter[1] = 0  # of padding, as in trained models
    model.load_state_dict(model.state_dict())  # copies weights for the fused layers
    return model.eval()


def nested(args):
    """The groups of a checkpoint that fairseq-hydra-train writes: no namespace, and the options of
    the stacks in groups."""
    from fairseq.models.transformer import TransformerConfig
    config = OmegaConf.to_container(OmegaConf.structured(TransformerConfig.from_namespace(args)),
                                    enum_to_str=True)
    return {"_name": None, "model": {**config, "_name": args.arch},
            "task": {"_name": "translation", "source_lang": "en", "target_lang": "de"}}


def save(directory, name, args, model):
    state = {"args": None, "cfg": None, "model": model.state_dict(),
             "optimizer_history": [{"criterion_name": "CrossEntropyCriterion"}],
             "extra_state": {"val_loss": 2.5, "epoch": 3}}
    if name == "iwslt":
        state["args"] = args
        torch.save(state, directory / "checkpoint_best.pt", _use_new_zipfile_serialization=False)
    else:
        config = convert_namespace_to_omegaconf(args)
        state["cfg"] = (nested(args) if name == "learned" else
                        OmegaConf.to_container(config, resolve=True, enum_to_str=True))
        torch.save(state, directory / "model.pt")


class Reference:
    def __init__(self, model, split, source, target):
        self.model, self.split, self.source, self.target = model, split, source, target

    def tokens(self, text):
        return self.source.encode_line(" ".join(self.split(text)), append_eos=True,
                                       add_if_not_exist=False).long()[None]

    def scores(self, text, pieces):
        source = self.tokens(text)
        ids = [self.target.index(piece) for piece in pieces]
        before = torch.tensor([[self.target.eos()] + ids])
        output = self.model(source, torch.tensor([source.shape[1]]), before)
        scores = self.model.get_normalized_probs(output, log_probs=True)[0]
        return [round(float(row[i]), 6) for row, i in zip(scores, ids + [self.target.eos()])]

    def translation(self, text, beams):
        generator = SequenceGenerator([self.model], self.target, beam_size=beams, max_len_a=0,
                                      max_len_b=LONGEST - 1, unk_penalty=float("inf"))
        source = self.tokens(text)
        sample = {"net_input": {"src_tokens": source,
                                "src_lengths": torch.tensor([source.shape[1]])}}
        ids = generator.generate([self.model], sample)[0][0]["tokens"].tolist()
        pieces = [self.target[i] for i in ids if i >= self.target.nspecial]
        return self.join([piece for piece in pieces if not piece.startswith("madeupword")])

    @staticmethod
    def join(pieces):
        return "".join(pieces).replace("\u2581", " ").strip()

    def case(self, lines):
        sources = sentences(SOURCE, lines, 7)
        targets = [[piece for word in TARGET[n:2 * n] for piece in self.split(word)]
                   for n in range(1, 8)]
        return {"sources": sources, "targets": targets,
                "token_scores": [self.scores(*pair) for pair in zip(sources, targets)],
                "greedy": [self.translation(line, 1) for line in sources],
                "beam": [self.translation(line, 5) for line in sources]}


@torch.no_grad()
def write_case(directory, name, seed, lines):
    case = directory / name
    case.mkdir(parents=True)
    processor = write_spm(case / "spm.model")
    split = lambda text: processor.encode(text, out_type=str)
    source, target = write_dictionaries(case, split, name != "iwslt")
    args = options(name)
    task = TranslationTask(args, source, target)
    model = randomize(TransformerModel.build_model(args, task), seed)
    model = model.half() if name == "deep" else model
    save(case, name, args, model)
    reference = Reference(model.float(), split, source, target).case(lines)
    (directory / f"{name}.json").write_text(json.dumps(reference, ensure_ascii=False) + "\n")


def main():
    directory = pathlib.Path(sys.argv[1])
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for seed, name in enumerate(CASES):
        write_case(directory, name, seed, lines)


if __name__ == "__main__":
    main()
