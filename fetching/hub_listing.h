// Repositories of models on the Hugging Face hub, or on a mirror with the same interface.
#pragma once

#include <string>
#include <string_view>

#include "fetching/http_client.h"
#include "fetching/model_registry.h"

namespace dietmt::fetching {

/// $HF_ENDPOINT, the variable of the hub's own clients, or https://huggingface.co. Throws
/// ConfigError if it is not a URL.
std::string hub_endpoint();

/// Adds licence and files from the hub's description of `model.hub`. Of the files, those that
/// `dietmt import` reads: vocabularies, settings and one kind of weights. They are those of the
/// revision that was described. Throws CheckpointError if there are none.
void read_hub_listing(std::string_view text, const std::string& endpoint, PublishedModel& model);

/// Asks the hub, if the model is there and its files are not known yet.
void look_up(HttpClient& client, PublishedModel& model);

}  // namespace dietmt::fetching
