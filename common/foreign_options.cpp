#include "common/foreign_options.h"

#include <algorithm>

namespace dietmt {
namespace {

struct Row {
  std::string_view ours;
  std::string_view theirs;  // names, each between spaces
  std::string_view remark = {};
};

// A name may be in several rows; the first row whose option the command has wins.
constexpr Row kRows[] = {
    // Text
    {"train-source", " train-sets trainpref train-src src-train source-train prepared-data data ",
     " and --train-target; no preprocessing is needed"},
    {"valid-source", " valid-sets validpref valid-src source-valid validation-source ",
     " and --valid-target"},
    {"train-target", " train-tgt tgt-train "},
    {"valid-target", " valid-tgt tgt-valid validation-target "},
    {"input", " src source inputs buffered-input "},
    {"hypothesis", " input sys hyp "},
    {"reference", " ref refs tgt "},
    {"prefix", " tgt-prefix force-decode "},
    {"tokenizer", " vocabs vocab src-vocab tgt-vocab source-dictionary srcdict tgtdict "},
    {"vocab-size", " dim-vocabs src-vocab-size tgt-vocab-size nwordssrc nwordstgt num-words "},
    {"type", " model-type "},
    {"sentences", " input-sentence-size "},
    {"tags", " user-defined-symbols "},
    {"max-tokens",
     " max-length max-source-positions max-target-positions max-seq-len "
     "src-seq-length tgt-seq-length max-sentence-length "},
    {"max-source-length", " max-input-length max-input-len "},
    {"bpe-dropout", " subword-dropout "},
    {"subword-sampling", " sentencepiece-alphas src-subword-alpha "},

    // Model
    {"model", " models path model-path checkpoint "},
    {"preset", " arch model-size "},
    {"width",
     " dim-emb encoder-embed-dim decoder-embed-dim hidden-size rnn-size word-vec-size "
     "transformer-model-size model-dim "},
    {"encoder-layers", " enc-depth enc-layers num-layers layers "},
    {"decoder-layers", " dec-depth dec-layers "},
    {"feed-forward",
     " transformer-dim-ffn encoder-ffn-embed-dim decoder-ffn-embed-dim "
     "transformer-ff transformer-feed-forward-num-hidden "},
    {"heads",
     " transformer-heads encoder-attention-heads decoder-attention-heads num-heads "
     "transformer-attention-heads "},
    {"position",
     " position-encoding transformer-positional-embedding-type pos-ffn "
     "max-relative-positions "},
    {"norm",
     " encoder-normalize-before decoder-normalize-before transformer-preprocess "
     "transformer-postprocess ",
     " pre or --norm post"},
    {"activation", " activation-fn pos-ffn-activation-fn transformer-ffn-activation "},
    {"tied-embeddings",
     " share-all-embeddings tied-embeddings-all share-embeddings "
     "share-decoder-input-output-embed weight-tying-type share-decoder-embeddings "},
    {"dropout", " transformer-dropout "},
    {"activation-dropout", " relu-dropout transformer-dropout-ffn "},
    {"attention-dropout", " transformer-dropout-attention "},
    {"source-word-dropout", " dropout-src "},
    {"target-word-dropout", " dropout-trg "},
    {"init-from", " pretrained-model finetune-from-model restore-file train-from params "},

    // Training
    {"output", " save-dir save-model model-dir out-file model-prefix "},
    {"learning-rate", " lr learn-rate initial-learning-rate "},
    {"schedule", " lr-scheduler decay-method learning-rate-scheduler-type lr-decay-inv-sqrt "},
    {"warmup", " warmup-updates warmup-steps lr-warmup learning-rate-warmup "},
    {"warmup-init-lr", " lr-warmup-start-rate "},
    {"min-lr", " stop-min-lr end-learning-rate "},
    {"max-updates", " max-update after after-batches train-steps max-steps total-num-update "},
    {"max-epochs", " max-epoch after-epochs max-num-epochs "},
    {"patience", " early-stopping max-num-checkpoint-not-improved ",
     ", the number of validations without an improvement"},
    {"batch-tokens",
     " max-tokens mini-batch-words batch-size mini-batch max-sentences "
     "max-batch-size maxi-batch ",
     ", in tokens"},
    {"find-batch", " mini-batch-fit workspace "},
    {"accumulate", " update-freq optimizer-delay accum-count update-interval "},
    {"ema-decay", " exponential-smoothing average-decay ", " with 1 minus the value"},
    {"clip-norm", " max-grad-norm gradient-clipping-threshold "},
    {"adam-beta1", " adam-betas optimizer-params optimizer-betas ", " and --adam-beta2"},
    {"adam-epsilon", " adam-eps "},
    {"optimizer", " optim "},
    {"weight-decay", " decay "},
    {"precision", " fp16 bf16 amp memory-efficient-bf16 memory-efficient-fp16 model-dtype dtype ",
     " bf16"},
    {"valid-interval", " validate-interval-updates valid-freq valid-steps checkpoint-interval "},
    {"save-interval", " save-interval-updates save-freq save-checkpoint-steps "},
    {"keep-last", " keep-last-epochs keep-interval-updates keep-checkpoint keep-last-params "},
    {"keep-best", " keep-best-checkpoints save-best-checkpoints "},
    {"valid-metric", " best-checkpoint-metric valid-metrics early-stopping-on optimized-metric "},
    {"valid-output", " valid-translation-output "},
    {"valid-command", " valid-script-path "},
    {"remove-bpe", " eval-bleu-remove-bpe post-process "},
    {"log-interval", " disp-freq report-every "},
    {"processes", " distributed-world-size num-devices world-size "},
    {"checkpoint-activations", " gradient-checkpointing "},
    {"resume", " reset-optimizer no-reload overwrite-output "},

    // Translation
    {"beam", " beam-size num-beams "},
    {"nbest", " n-best num-hypotheses nbest-size "},
    {"length-penalty", " lenpen normalize alpha length-penalty-alpha "},
    {"max-length-factor", " max-len-a "},
    {"max-length-offset", " max-len-b "},
    {"min-length", " min-len min-decoding-length "},
    {"no-repeat-ngram", " no-repeat-ngram-size block-ngram-repeat "},
    {"sample", " sampling output-sampling random-sampling "},
    {"top-k", " sampling-topk random-sampling-topk "},
    {"top-p", " sampling-topp random-sampling-topp "},
    {"temperature", " sampling-temperature random-sampling-temp softmax-temperature "},
    {"diverse-groups", " diverse-beam-groups "},
    {"diversity-strength", " diverse-beam-strength "},
    {"coverage-penalty", " beta "},
    {"alignment", " print-alignment report-align "},
    {"weights", " compute-type int8 gemm-type fp16 bf16 "},
    {"shortlist", " restrict-lexicon vmap "},
    {"scores", " print-score output-type with-score "},

    // Machine
    {"device", " devices gpu gpus gpu-ranks device-ids cuda use-gpu "},
    {"device", " cpu use-cpu no-cuda ", " cpu"},
    {"threads", " cpu-threads num-workers intra-threads num-threads n-jobs "},
    {"workers", " inter-threads "},

    // Scores and the server
    {"metric", " metrics "},
    {"lowercase", " lc "},
    {"digits", " width "},
    {"tokenize", " tok "},
    {"sentence-level", " sl "},
    {"max-characters", " char-limit "},
    {"max-texts", " batch-limit "},
    {"api-keys", " require-api-key "},
};

}  // namespace

std::string foreign_option(std::string_view name, const std::vector<std::string>& ours) {
  if (name.find(' ') != name.npos) return {};
  constexpr std::string_view kLanguages[] = {"source-lang", "target-lang",     "src-lang",
                                             "tgt-lang",    "source-language", "target-language"};
  if (std::ranges::find(kLanguages, name) != std::end(kLanguages))
    return "; a model translates between the languages that it was trained on (one that needs a "
           "tag "
           "for the target language takes --source-tag)";
  const std::string word = " " + std::string(name) + " ";
  for (const Row& row : kRows)
    if (row.theirs.find(word) != row.theirs.npos && std::ranges::find(ours, row.ours) != ours.end())
      return "; use --" + std::string(row.ours) + std::string(row.remark);
  return {};
}

}  // namespace dietmt
