#!/usr/bin/env python3
"""Small translation models of Hugging Face's transformers with random weights, and what they compute.

    make_transformers_cases.py DIR [CASE...]    one directory per case; needs torch, transformers
                                                4.x, sentencepiece, sacremoses, subword-nmt

A case is a model directory as `save_pretrained` writes it, and NAME.json: the languages, sources as
text, targets as pieces, their log-probabilities (with that of end of sentence, and without that of
the language), and translations of the sources with beam 1 and beam 5. Cases differ in norms,
activations, ties, positions, widths of heads, and in how they name languages:

    m2m_100    pre-norm, sinusoids, vocab.json, languages such as __de__, weights in fp16
    nllb       gelu, fairseq's numbers, languages such as deu_Latn
    mbart      norms of embeddings, which have no scale, a table of positions, languages such as
               de_DE, weights in several files
    t5         gated, heads wider than the model, a separate output, no languages
    madlad     relu, output tied to the embeddings, languages such as <2de>
    mbart_pair mBART's first kind: sources end with en_XX, the decoder starts from de_DE
    bart       post-norm, byte-level BPE, sources and translations that begin with <s>; also "texts"
               and the pieces that its tokenizer makes of them
    fsmt       post-norm, sinusoids, a vocabulary of each language, Moses' words of English and
               German; also "texts", their pieces, and "joined", the texts of these
    fsmt_one   the same with one vocabulary and table, and Russian
    t5_search  generation_config.json has options of the search, and only "searched", the
               translations with them
    suppressed no model: for m2m_100 and madlad, which must be in DIR, a generation_config.json that
               suppresses tokens, and the translations with it
"""

import argparse
import collections
import io
import json
import pathlib

import sentencepiece
import tokenizers
import torch
import transformers
from subword_nmt import learn_bpe

from make_cases import EndAtLimit
from make_words import SOURCE, TARGET, sentences
from reference_search import beam_search

LONGEST = 20
TEXTS = ["red dog", " red dog", "red  dog   sees", "it's we'll THEY'RE 'tis don't I'd I'm we've",
         "a\tb \t c", "grün großß naïve Ελλάδα", "猫が好き。犬", "cat12 3.14 ½ ²", "😀 red😀dog 👩‍👩‍👧",
         "end ", "  two before", "dog\u00a0cat\u2003tree", "!?... (blue) [old]—new", "'s dog's 'S",
         "é e\u0301 \u200b", "1 22 333", "redredredreddogdogdogdog", "\u3000red"]
MOSES_TEXTS = {
    "en": ["The red-haired dog isn't 3,5 or 1990's; Mr. Smith's cat (No. 5, no. x) said: \u201cGo!\u201d",
           "it's we'll THEY'RE 'tis dogs' don't... e.g. U.S. 5' x,y 3,x .5 a.b. end.'",
           "\u00abred\u00a0\u00bb dog\u3002 cat\uff0ctree \uff08\uff15\uff09 a\u00a0% 5 % 1\u00a0000 [x|y] <b> & `q` ''r''",
           "a\tb \u200b c\u00add \u732b\u304c\u597d\u304d x\u2014y x\u2013y \u20ac5 $ 6 \u00bf? \\ @-@ 5-x --", " two  before ", "-", ""],
    "de": ["Dr. M\u00fcller, z. B. am 3. Mai 1990, sagte: \u201eSo.\u201c Und \"gut\", 'ja'. usw. Ende.",
           "d.h. 5.000,50 \u20ac bzw. 10 000 Mrd. Euro \u2013 ca. 3 %.", "a \"b.\" c \"d,\" e \"f..\" <g \"h.\""],
    "ru": ["\u0412 1990\u0433. \u0438 \u0442.\u0434. \u00ab\u0434\u043e\u043c\u00bb \u2014 5\u0433. \u0443\u043b. \u041b\u0435\u043d\u0438\u043d\u0430, \u0434. 5. \u041a\u043e\u043d\u0435\u0446.", "XX\u0432. \u0434\u043e\u043c. \u0414\u043e\u043c"],
}
SIZES = dict(d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
             decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
             max_position_embeddings=64)


def write_pieces(path, words, size, **special):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(words, 500, 1)), model_writer=file, vocab_size=size,
            model_type="bpe", normalization_rule_name="identity", minloglevel=2, **special)
    return path


def fairseq_pieces(directory):
    return write_pieces(directory / "sentencepiece.bpe.model", SOURCE + TARGET, 70)


def m2m_100(directory):
    model = fairseq_pieces(directory)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + [
        processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]
    numbers = directory / "vocab.json"
    numbers.write_text(json.dumps({piece: i for i, piece in enumerate(pieces)}))
    tokenizer = transformers.M2M100Tokenizer(str(numbers), str(model))
    config = transformers.M2M100Config(vocab_size=tokenizer.encoder_size + 108, **SIZES)
    return tokenizer, transformers.M2M100ForConditionalGeneration(config), ("en", "de")


def nllb(directory):
    tokenizer = transformers.NllbTokenizer(str(fairseq_pieces(directory)))
    config = transformers.M2M100Config(vocab_size=len(tokenizer) + 2, activation_function="gelu",
                                       **SIZES)
    return tokenizer, transformers.M2M100ForConditionalGeneration(config), ("eng_Latn", "deu_Latn")


def mbart(directory):
    tokenizer = transformers.MBart50Tokenizer(str(fairseq_pieces(directory)))
    config = transformers.MBartConfig(vocab_size=len(tokenizer), decoder_start_token_id=2, **SIZES)
    return tokenizer, transformers.MBartForConditionalGeneration(config), ("en_XX", "de_DE")


def mbart_pair(directory):
    tokenizer = transformers.MBartTokenizer(str(fairseq_pieces(directory)), src_lang="en_XX",
                                            tgt_lang="de_DE")
    config = transformers.MBartConfig(
        vocab_size=len(tokenizer), scale_embedding=True,
        decoder_start_token_id=tokenizer.convert_tokens_to_ids("de_DE"), **SIZES)
    return tokenizer, transformers.MBartForConditionalGeneration(config), None


def bart(directory):
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bytes_of_text = tokenizers.ByteLevelBPETokenizer()
    bytes_of_text.train_from_iterator(sentences(SOURCE + TARGET, 500, 1), vocab_size=330,
                                      special_tokens=special[:4], show_progress=False)
    bytes_of_text.add_special_tokens(special[4:])
    directory.mkdir(parents=True, exist_ok=True)
    bytes_of_text.save_model(str(directory))
    tokenizer = transformers.BartTokenizerFast(str(directory / "vocab.json"),
                                               str(directory / "merges.txt"))
    config = transformers.BartConfig(vocab_size=len(tokenizer) + 1, forced_bos_token_id=0, **SIZES)
    return tokenizer, transformers.BartForConditionalGeneration(config), None


def number(directory, merges, name, texts):
    """vocab-NAME.json with the pieces that FSMT's tokenizer makes of texts."""
    tokenizer = moses_tokenizer(directory, ("en", "de"), merges)
    pieces = sorted({piece for text in texts for word in text.split()
                     for piece in tokenizer.bpe(word).split(" ")})
    numbers = {piece: i for i, piece in enumerate(["<s>", "<pad>", "</s>", "<unk>"] + pieces)}
    (directory / f"vocab-{name}.json").write_text(json.dumps(numbers, ensure_ascii=False))
    return numbers


def moses_tokenizer(directory, languages, merges):
    for name in ("src", "tgt"):
        path = directory / f"vocab-{name}.json"
        if not path.exists():
            path.write_text('{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}')
    (directory / "merges.txt").write_text(merges)
    return transformers.FSMTTokenizer(
        langs=list(languages), src_vocab_file=str(directory / "vocab-src.json"),
        tgt_vocab_file=str(directory / "vocab-tgt.json"),
        merges_file=str(directory / "merges.txt"))


def moses_model(directory, languages, is_one):
    directory.mkdir(parents=True, exist_ok=True)
    codes = io.StringIO()
    learn_bpe.learn_bpe(sentences(SOURCE + TARGET, 500, 1), codes, 60)
    merges = "".join(codes.getvalue().splitlines(True)[1:])
    texts = []
    for language in languages:
        plain = moses_tokenizer(directory, (language, language), merges)
        lines = SOURCE + TARGET + MOSES_TEXTS[language]
        texts.append([" ".join(plain.moses_tokenize(plain.moses_pipeline(line, language), language))
                      for line in lines])
    if is_one:
        texts = [texts[0] + texts[1]] * 2
    sizes = [len(number(directory, merges, name, lines))
             for name, lines in zip(("src", "tgt"), texts)]
    config = transformers.FSMTConfig(
        langs=list(languages), src_vocab_size=sizes[0], tgt_vocab_size=sizes[1],
        tie_word_embeddings=is_one, num_beams=1,
        **SIZES)
    tokenizer = moses_tokenizer(directory, languages, merges)
    return tokenizer, transformers.FSMTForConditionalGeneration(config), None


def fsmt(directory):
    return moses_model(directory, ("en", "de"), False)


def fsmt_one(directory):
    return moses_model(directory, ("ru", "en"), True)


T5_SIZES = dict(decoder_start_token_id=0, d_model=16, d_ff=24, num_heads=2, num_layers=2, num_decoder_layers=2,
                relative_attention_num_buckets=8, relative_attention_max_distance=20)
T5_PIECES = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def t5(directory):
    pieces = write_pieces(directory / "spiece.model", SOURCE + TARGET, 70, **T5_PIECES)
    tokenizer = transformers.T5Tokenizer(str(pieces), extra_ids=4, legacy=True)
    config = transformers.T5Config(vocab_size=len(tokenizer), d_kv=12,
                                   feed_forward_proj="gated-gelu", tie_word_embeddings=False,
                                   **T5_SIZES)
    return tokenizer, transformers.T5ForConditionalGeneration(config), None


def madlad(directory):
    pieces = write_pieces(directory / "spiece.model", SOURCE + TARGET, 72, **T5_PIECES,
                          user_defined_symbols=["<2de>", "<2fr>"])
    tokenizer = transformers.T5Tokenizer(str(pieces), extra_ids=0, legacy=True)
    config = transformers.T5Config(vocab_size=len(tokenizer), d_kv=8, feed_forward_proj="relu",
                                   **T5_SIZES)
    return tokenizer, transformers.T5ForConditionalGeneration(config), ("", "de")


def t5_search(directory):
    tokenizer, model, languages = t5(directory)
    model.generation_config.update(num_beams=3, early_stopping=True, length_penalty=0.4,
                                   no_repeat_ngram_size=2, repetition_penalty=1.3, min_length=7,
                                   max_length=13)
    return tokenizer, model, languages


def randomize(model, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name and parameter.dim() == 2 and not parameter.requires_grad:
                continue
            is_norm = "norm" in name and name.endswith("weight")
            is_table = any(word in name for word in ("embed", "shared", "relative", "output_proj"))
            wide = parameter.dim() == 2 and not is_table
            deviation = 1.5 * parameter.shape[-1] ** -0.5 if wide else 0.5 if is_table else 0.2
            parameter.normal_(1.0 if is_norm else 0.0, deviation)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(0, 0.5)
        if model.config.model_type == "fsmt":  # no token repeats itself; <s> and <pad> are rare
            norm = model.model.decoder.layers[-1].final_layer_norm
            norm.weight.neg_()
            norm.weight[0], norm.bias[0] = 0, 1
            for token, score in ((0, -20), (1, -20), (2, 2)):
                model.model.decoder.embed_tokens.weight[token, 0] = score
    model.tie_weights()
    return model.eval()


class Reference:
    def __init__(self, tokenizer, model, languages):
        self.tokenizer, self.model, self.languages = tokenizer, model, languages
        self.start = model.config.decoder_start_token_id
        self.end = model.config.eos_token_id
        self.never = [i for i in (tokenizer.unk_token_id, self.start) if i != self.end]
        self.is_moses = model.config.model_type == "fsmt"
        self.tag = ""
        self.forced = None
        if languages and languages[0]:
            tokenizer.src_lang, tokenizer.tgt_lang = languages
            self.forced = (tokenizer.get_lang_id(languages[1]) if hasattr(tokenizer, "get_lang_id")
                           else tokenizer.convert_tokens_to_ids(languages[1]))
        elif model.config.model_type == "bart":
            self.forced = model.generation_config.forced_bos_token_id
        elif languages:
            self.tag = f"<2{languages[1]}> "

    def ids(self, target):
        if not self.is_moses:
            return self.tokenizer.convert_tokens_to_ids(target)
        numbers = {piece: i for i, piece in self.tokenizer.decoder.items()}
        return [numbers[piece[:-2] if piece.endswith("@@") else piece + "</w>"]
                for piece in target]

    def pieces(self, text):
        """In fairseq's form."""
        pieces = self.tokenizer.tokenize(text)
        if not self.is_moses:
            return pieces
        return [piece[:-4] if piece.endswith("</w>") else piece + "@@" for piece in pieces]

    def source(self, text):
        return self.tokenizer(self.tag + text, return_tensors="pt")

    @torch.no_grad()
    def token_scores(self, source, target):
        before = [self.start] + ([] if self.forced is None else [self.forced])
        ids = self.ids(target)
        logits = self.model(**self.source(source), use_cache=False,
                            decoder_input_ids=torch.tensor([before + ids])).logits[0]
        scores = logits.log_softmax(-1)[len(before) - 1:]
        return [round(float(row[i]), 6) for row, i in zip(scores, ids + [self.end])]

    @torch.no_grad()
    def translation(self, source, beams):
        output = self.model.generate(
            **self.source(source), num_beams=beams, early_stopping=beams > 1, length_penalty=1.0,
            max_length=LONGEST + 1, do_sample=False, forced_eos_token_id=None,
            forced_bos_token_id=self.forced, suppress_tokens=self.never,
            logits_processor=[EndAtLimit(LONGEST, self.end)])
        kept = [i for i in output[0].tolist() if not self.is_special(i)]
        return self.tokenizer.decode(kept, clean_up_tokenization_spaces=False)

    @torch.no_grad()
    def translation_by_forward(self, source, beams):
        """generate() of FSMT disagrees with forward() in transformers 4.57."""
        encoded = self.source(source)

        def next_scores(prefixes):
            rows = {name: values.expand(len(prefixes), -1) for name, values in encoded.items()}
            logits = self.model(**rows, use_cache=False,
                                decoder_input_ids=torch.tensor(prefixes)).logits[:, -1]
            scores = logits.log_softmax(-1)
            scores[:, self.never] = -torch.inf
            return scores

        found = beam_search(next_scores, self.start, self.end, beams, LONGEST)
        kept = [i for i in found if not self.is_special(i)]
        return self.tokenizer.decode(kept, clean_up_tokenization_spaces=False)

    @torch.no_grad()
    def searched(self, source):
        own = self.model.generation_config
        output = self.model.generate(
            **self.source(source), generation_config=own, suppress_tokens=self.never,
            logits_processor=[EndAtLimit(own.max_length - 1, self.end)])
        kept = [i for i in output[0].tolist() if not self.is_special(i)]
        return self.tokenizer.decode(kept, clean_up_tokenization_spaces=False)

    def is_special(self, token):
        if self.is_moses:
            return token < 4
        added = getattr(self.tokenizer, "encoder_size", self.model.config.vocab_size)
        return token >= added or token in self.tokenizer.all_special_ids

    def moses_texts(self):
        """Texts of both languages, by their own rules."""
        made = {"texts": [], "pieces": [], "joined": []}
        for language in self.model.config.langs:
            side = {"texts": MOSES_TEXTS[language], "pieces": [], "joined": []}
            self.tokenizer.src_lang = self.tokenizer.tgt_lang = language
            for text in MOSES_TEXTS[language]:
                side["pieces"].append(self.pieces(text))
                side["joined"].append(
                    self.tokenizer.convert_tokens_to_string(self.tokenizer.tokenize(text)))
            for key, values in side.items():
                made[key].append(values)
        self.tokenizer.src_lang, self.tokenizer.tgt_lang = self.model.config.langs
        return made

    def case(self):
        sources = sentences(SOURCE, 20, 7)
        if self.model.generation_config.num_beams > 1:
            return {"sources": sources, "searched": [self.searched(line) for line in sources]}
        targets = [[piece for word in TARGET[n:2 * n] for piece in self.pieces(word)]
                   for n in range(1, 8)]
        case = {"sources": sources, "targets": targets,
                "token_scores": [self.token_scores(*pair) for pair in zip(sources, targets)]}
        translation = self.translation_by_forward if self.is_moses else self.translation
        for name, beams in (("greedy", 1), ("beam", 5)):
            case[name] = [translation(line, beams) for line in sources]
        if self.model.config.model_type == "bart":
            case["texts"] = TEXTS
            case["pieces"] = [self.tokenizer.tokenize(text) for text in TEXTS]
        if self.is_moses:
            case.update(self.moses_texts())
        if self.languages:
            case["source_language"], case["target_language"] = self.languages
        return case


def write_case(directory, make, seed):
    case = directory / make.__name__
    tokenizer, model, languages = make(case)
    randomize(model, seed)
    model = model.half() if make is m2m_100 else model
    if make is bart:  # write few single bytes, which are rarely characters
        model.final_logits_bias[0, :260] -= 5
        model.final_logits_bias[0, 2] += 3
    model.save_pretrained(case, max_shard_size="24KB" if make is mbart else "5GB")
    tokenizer.save_pretrained(case)
    model = type(model).from_pretrained(case, dtype=torch.float32).eval()
    reference = Reference(tokenizer, model, languages).case()
    (directory / f"{make.__name__}.json").write_text(
        json.dumps(reference, ensure_ascii=False) + "\n")


def frequent(tokens, count, n=1):
    """The most frequent n-grams."""
    grams = [tuple(ids[i:i + n]) for ids in tokens for i in range(len(ids) - n + 1)]
    return [list(gram) for gram, _ in collections.Counter(grams).most_common(count)]


@torch.no_grad()
def suppressed(directory, name, languages):
    path = directory / name
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path).float().eval()
    # The fast tokenizer of T5 would cut <2de> into pieces.
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, use_fast=False)
    reference = Reference(tokenizer, model, languages)
    own = model.generation_config
    search = {"num_beams": 4, "early_stopping": True, "min_length": 6, "max_length": LONGEST + 1}
    own.update(**search, forced_bos_token_id=reference.forced)
    sources = sentences(SOURCE, 20, 7)

    def plain(line):
        ids = model.generate(**reference.source(line), generation_config=own)[0].tolist()
        ids = ids[1 if reference.forced is None else 2:]
        return ids[:ids.index(reference.end)] if reference.end in ids else ids

    tokens = [plain(line) for line in sources]
    ones = frequent(tokens, 3)
    forbidden = {"bad_words_ids": ones[:1] + frequent(tokens, 6, 2)[1::2] + frequent(tokens, 4, 3)[1::2],
                 "suppress_tokens": ones[2] + reference.never,
                 "begin_suppress_tokens": [gram[0] for gram in frequent(
                     [ids[:1] for ids in tokens], 2)]}
    before = [reference.searched(line) for line in sources]
    own.update(**forbidden)
    reference.never = forbidden["suppress_tokens"]
    after = [reference.searched(line) for line in sources]
    print(name, forbidden, sum(a != b for a, b in zip(before, after)))
    case = {"generation_config": {**search, **forbidden}, "sources": sources, "searched": after}
    if languages[0]:
        case["source_language"] = languages[0]
    return {**case, "target_language": languages[1]}


def write_suppressed(directory):
    cases = {"m2m_100": suppressed(directory, "m2m_100", ("en", "de")),
             "madlad": suppressed(directory, "madlad", ("", "de"))}
    (directory / "suppressed.json").write_text(json.dumps(cases, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    for seed, make in enumerate((m2m_100, nllb, mbart, t5, madlad, mbart_pair, t5_search, bart, fsmt_one,
                                 fsmt)):
        if make.__name__ in options.cases or not options.cases:
            write_case(options.directory, make, seed)
    if "suppressed" in options.cases or not options.cases:
        write_suppressed(options.directory)


if __name__ == "__main__":
    main()
