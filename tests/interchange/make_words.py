"""Words, sentences and sentencepiece models of the cases for interchange."""

import random

import sentencepiece

SOURCE = "red blue green small big old new cat dog house tree bird sees likes finds".split()
TARGET = "rot blau grün klein groß alt neu katze hund haus baum vogel sieht mag findet".split()


def sentences(words, count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choices(words, k=draw.randint(1, 8))) for _ in range(count)]


def write_pieces(path, words, size):
    """A sentencepiece model without rules of normalisation, which take 240 kB."""
    with open(path, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(words, 500, 1)), model_writer=file, vocab_size=size,
            model_type="bpe", normalization_rule_name="identity", minloglevel=2,
            unk_id=1, eos_id=0, bos_id=-1)


def pieces_of(path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]
