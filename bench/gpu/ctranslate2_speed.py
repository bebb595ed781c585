#!/usr/bin/env python3
"""CTranslate2 in float16 on a GPU: MODEL (from dietmt export), SOURCE, OUTPUT; prints JSON."""

import json
import sys
import time

import ctranslate2
import sentencepiece


def main():
    directory, source, output = sys.argv[1:]
    translator = ctranslate2.Translator(directory, device="cuda", compute_type="float16")
    pieces, words = (sentencepiece.SentencePieceProcessor(model_file=f"{directory}/{side}.spm")
                     for side in ("source", "target"))
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()

    def translate(some, batch_size):
        """From text to text, as dietmt is timed."""
        start = time.perf_counter()
        found = translator.translate_batch(
            pieces.encode(some, out_type=str), beam_size=5, length_penalty=1,
            max_batch_size=batch_size, batch_type="tokens", max_input_length=0)
        texts = [words.decode(one.hypotheses[0]) for one in found]
        return texts, time.perf_counter() - start

    translate(lines[:100], 4096)
    some = lines[:max(1, len(lines) // 10)]
    _, size = min((translate(some, size)[1], size) for size in (1024, 4096, 16384))
    texts, seconds = translate(lines, size)
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(texts) + "\n")
    print(json.dumps({"lines_per_second": round(len(lines) / seconds, 1),
                      "batch_tokens": size, "lines": len(lines)}))


if __name__ == "__main__":
    main()
