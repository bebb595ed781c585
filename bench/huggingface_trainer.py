#!/usr/bin/env python3
"""Training speed of Hugging Face's Trainer, to compare dietmt with.

Trains a BERT of the given sizes on a batch file of bench/bert_speed: one JSON array a line, with the
examples of a batch, {"ids": [...], "labels": [...]} for BertForMaskedLM or {"ids": [...],
"segments": [...], "label": n} for BertForSequenceClassification. The collator pads the examples of a batch to
the longest one, as users of the Trainer do; its settings are the Trainer's defaults except sizes
and optimiser (fused AdamW), and nothing is saved or logged. Prints one JSON object with the median of
the tokens per second of the timed updates, padding not counted.
"""

import argparse
import json
import statistics
import tempfile
import time

import torch
import transformers


def collate(batch, pad):
    """The one batch of the list, padded."""
    examples = batch[0]
    longest = max(len(example["ids"]) for example in examples)

    def padded(lists, filler):
        return torch.tensor([values + [filler] * (longest - len(values)) for values in lists])

    tensors = {
        "input_ids": padded([e["ids"] for e in examples], pad),
        "attention_mask": padded([[1] * len(e["ids"]) for e in examples], 0),
    }
    if "labels" in examples[0]:
        tensors["labels"] = padded([e["labels"] for e in examples], -100)
    else:
        tensors["token_type_ids"] = padded([e["segments"] for e in examples], 0)
        tensors["labels"] = torch.tensor([e["label"] for e in examples])
    return tensors


class Clock(transformers.TrainerCallback):
    def __init__(self):
        self.seconds = []

    def on_step_begin(self, args, state, control, **kwargs):
        self.start = self.now()

    def on_step_end(self, args, state, control, **kwargs):
        self.seconds.append(self.now() - self.start)

    @staticmethod
    def now():
        """The time when the GPU, if one is used, has finished its work."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        return time.perf_counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--batches", required=True, help="file of bench/bert_speed --write-batches")
    parser.add_argument("--model", required=True, help="the JSON object that bench/bert_speed printed")
    parser.add_argument("--warmup", type=int, default=3, help="updates before the timed ones")
    arguments = parser.parse_args()

    sizes = json.loads(arguments.model)
    torch.set_num_threads(sizes["threads"])
    transformers.logging.set_verbosity_error()
    batches = [json.loads(line) for line in open(arguments.batches, encoding="utf-8")]
    config = transformers.BertConfig(
        vocab_size=sizes["vocabulary"],
        hidden_size=sizes["width"],
        num_hidden_layers=sizes["layers"],
        num_attention_heads=sizes["heads"],
        intermediate_size=sizes["feed_forward"],
        max_position_embeddings=sizes["max_positions"],
        pad_token_id=sizes["pad"],
    )
    masked = "labels" in batches[0][0]
    kind = transformers.BertForMaskedLM if masked else transformers.BertForSequenceClassification
    model = kind(config)
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        settings = transformers.TrainingArguments(
            output_dir=folder,
            max_steps=len(batches),
            per_device_train_batch_size=1,
            learning_rate=1e-4,
            weight_decay=0.01,
            optim="adamw_torch_fused",
            use_cpu=sizes["device"] == "cpu",
            bf16=sizes["precision"] == "bf16",  # by autocast
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            remove_unused_columns=False,
        )
        trainer = transformers.Trainer(
            model=model,
            args=settings,
            train_dataset=batches,
            data_collator=lambda batch: collate(batch, sizes["pad"]),
            callbacks=[clock],
        )
        trainer.remove_callback(transformers.PrinterCallback)  # stdout is for the result
        # The batches come in the order of the file.
        trainer._get_train_sampler = lambda *unused: torch.utils.data.SequentialSampler(batches)
        trainer.train()
    tokens = [sum(len(example["ids"]) for example in batch) for batch in batches]
    speeds = [n / s for n, s in zip(tokens, clock.seconds)][arguments.warmup :]
    print(json.dumps({"updates": len(speeds), "tokens_per_second": statistics.median(speeds)}))


if __name__ == "__main__":
    main()
