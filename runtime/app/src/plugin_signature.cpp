#include "plugin_signature.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"

#include <sstream>
#include <utility>

namespace floe::app {
namespace fs = std::filesystem;
namespace {

using State = Signature::State;

constexpr std::pair<State, const char*> kNames[] = {{State::none, "none"},
                                                    {State::good, "good"},
                                                    {State::unknownKey, "unknown key"},
                                                    {State::unchecked, "unchecked"}};

std::string nameOf(State state)
{
    for (const auto& [known, name] : kNames)
        if (known == state)
            return name;
    return {};
}

fs::path signatureFile(const fs::path& package)
{
    std::error_code error;
    for (const char* extension : {".sig", ".asc"}) {
        fs::path beside = package;
        beside += extension;
        if (fs::is_regular_file(package, error) && fs::exists(beside, error))
            return beside;
    }
    return {};
}

fs::path keptFile(const fs::path& user, const std::string& id)
{
    return user.parent_path() / "signatures" / (id + ".json");
}

} // namespace

std::string Signature::text() const
{
    switch (state) {
    case State::good:
        return "good, by " + signer + ", key " + key;
    case State::unknownKey:
        return "by key " + key + ", which is not one of yours: it says nothing";
    case State::unchecked:
        return "not checked: GnuPG (gpg) is not installed";
    case State::none:
        break;
    }
    return "none";
}

Signature signatureOf(const fs::path& package)
{
    const fs::path file = signatureFile(package);
    if (file.empty())
        return {};
    const fs::path gpg = findProgram("gpg");
    if (gpg.empty())
        return {State::unchecked, {}, {}, {}};
    // Only the lines of the status descriptor are made for programs (doc/DETAILS of GnuPG).
    const ChildResult result = runChild(
        {gpg.string(), "--batch", "--no-tty", "--status-fd", std::to_string(kReportDescriptor),
         "--no-auto-key-retrieve", "--verify", "--", file.string(), package.string()});
    Signature signature;
    bool valid = false;
    std::string fault;
    std::istringstream lines(result.report);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string prefix, word, first;
        words >> prefix >> word >> first;
        if (prefix != "[GNUPG:]")
            continue;
        if (word == "GOODSIG") {
            std::getline(words >> std::ws, signature.signer);
        } else if (word == "VALIDSIG") {
            valid = true;
            signature.key = first;
        } else if (word == "NO_PUBKEY") {
            signature.state = State::unknownKey;
            signature.key = first;
        } else if (word == "BADSIG") {
            fault = "is not the file that was signed: the signature " + file.string() +
                    " is of another";
        } else if (word == "EXPKEYSIG" || word == "EXPSIG" || word == "REVKEYSIG") {
            fault = std::string("is signed by a key that ") +
                    (word == "REVKEYSIG" ? "was revoked" : "has expired");
        }
    }
    if (fault.empty() && result.end.good() && valid && !signature.signer.empty())
        signature.state = State::good;
    else if (fault.empty() && signature.state != State::unknownKey)
        fault =
            "has a signature that cannot be read, " + file.string() + ": gpg " + result.describe();
    if (!fault.empty())
        throw PluginError({.file = package.string()}, fault,
                          "get both files anew from whoever made the plugin");
    return signature;
}

void keepSignature(const fs::path& user, const std::string& id, const Signature& signature)
{
    const fs::path file = keptFile(user, id);
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    writeFileAtomically(file, formatJson({{"state", nameOf(signature.state)},
                                          {"signer", signature.signer},
                                          {"key", signature.key},
                                          {"content", signature.content}}));
}

std::optional<Signature> keptSignature(const fs::path& user, const std::string& id)
{
    std::error_code error;
    const fs::path file = keptFile(user, id);
    if (user.empty() || !fs::exists(file, error))
        return std::nullopt;
    try {
        const Json kept = loadJson(file.string());
        Signature signature;
        for (const auto& [state, name] : kNames)
            if (kept.at("state") == name)
                signature.state = state;
        signature.signer = kept.at("signer").get<std::string>();
        signature.key = kept.at("key").get<std::string>();
        signature.content = kept.at("content").get<std::string>();
        return signature;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void forgetSignature(const fs::path& user, const std::string& id)
{
    std::error_code ignored;
    fs::remove(keptFile(user, id), ignored);
}

} // namespace floe::app
