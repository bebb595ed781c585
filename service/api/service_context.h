// The state that the handlers share.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "nmt/alignment/inline_markup.h"
#include "service/api/api_keys.h"
#include "service/api/call.h"
#include "service/api/client_usage.h"
#include "service/api/fields.h"
#include "service/api/glossaries.h"
#include "service/api/language_pairs.h"
#include "service/api/metrics.h"
#include "service/api/quality_estimates.h"
#include "service/api/router.h"
#include "service/api/translated_files.h"
#include "service/api/translation_cache.h"
#include "service/scheduling/model_registry.h"
#include "service/scheduling/turns.h"

namespace dietmt::service {

struct ServiceContext {
  ModelRegistry& models;
  ApiKeys keys;
  ServiceLimits limits;
  LanguagePairs pairs;
  std::shared_ptr<Glossaries> glossaries;
  std::vector<std::string> job_extensions =
      {};              // of the files that /v1/jobs takes, if there is one
  bool https = false;  // whether clients reach it via TLS
  TranslatedFiles files = {};
  Turns documents{1, 1};  // at having a document in memory as a tree
  std::atomic<bool> draining{false};
  ClientUsage usage = {};
  std::unique_ptr<TranslationCache> cache = nullptr;    // null: none
  std::shared_ptr<QualityEstimates> quality = nullptr;  // null: no model of quality
  Metrics* metrics = nullptr;                           // null in tests of handlers

  /// Throws HttpError 413 for more texts or characters than a request may have.
  void check_size(const std::vector<std::string>& texts) const;
  /// Throws HttpError 413 for a document with too many characters.
  void check_characters(const std::vector<nmt::MarkedText>& segments) const;
  /// Throws HttpError 413 for a prefix that is too long, counted once per text.
  void check_prefix(const std::string& prefix, const std::vector<std::string>& texts) const;

  /// The client whose requests share turns: the name of the key, or the address.
  std::string client_of(const std::string& key, const std::string& address) const;

  /// Whose glossaries and jobs a request may use: the name of its key; empty without one.
  std::string owner_of(const Call& call) const { return keys.name_of(call.key); }

  /// The name of the key of a client from client_of(); empty: it has none.
  static std::string key_of(const std::string& client);

  /// A deadline `limit` after the request arrived, at most the server's own.
  Patience patience(const Call& call, std::chrono::milliseconds limit) const;
};

/// Unicode characters of valid UTF-8.
int64_t characters_of(const std::string& text);

/// /translate, /detect, /suggest, /languages, /frontend/settings.
void add_libretranslate_routes(Router& router, ServiceContext& service);

/// /translate_file, /download_file.
void add_file_routes(Router& router, ServiceContext& service);

/// /v1/translate.
void add_v1_routes(Router& router, ServiceContext& service);

/// /v1/glossaries.
void add_glossary_routes(Router& router, ServiceContext& service);

/// /v1/models, /v1/models/reload.
void add_model_routes(Router& router, ServiceContext& service);

}  // namespace dietmt::service
