#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace floe::app {

/// What is known of the signature of a package.
struct Signature {
    enum class State {
        none,       ///< there is no signature beside the package
        good,       ///< by a key that the user has
        unknownKey, ///< by a key that the user does not have: it says nothing
        unchecked,  ///< GnuPG is not installed
    };
    State state = State::none;
    std::string signer;  ///< good: the key's owner, as the user's keys name it
    std::string key;     ///< good: the whole fingerprint; unknownKey: what the signature says of it
    std::string content; ///< hash of the plugin's files when it was installed

    /// "good, by Ada <ada@example.org>, key 0123..."
    std::string text() const;
};

/// Checks the detached OpenPGP signature of an archive, PACKAGE.sig or PACKAGE.asc, with gpg and
/// the user's own keys. Folders have none.
/// @throws PluginError  there is a signature, and it is not one of this file, or of a key that was
///                      revoked or has expired
Signature signatureOf(const std::filesystem::path& package);

/// The signature of an installed plugin is kept beside the folder of the user's plugins, not in it.
/// @param user  that folder
/// @throws IoError
void keepSignature(const std::filesystem::path& user, const std::string& id,
                   const Signature& signature);
/// @return empty when none is known. A file that is damaged counts as none.
std::optional<Signature> keptSignature(const std::filesystem::path& user, const std::string& id);
void forgetSignature(const std::filesystem::path& user, const std::string& id);

} // namespace floe::app
