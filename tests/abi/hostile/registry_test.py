"""`floe plugin install|remove|info`. Arguments: the program, the plugin's library."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest
import warnings
import zipfile

import hostile_plugin

hostile_plugin.WithHostilePlugin.FLOE = pathlib.Path(sys.argv.pop(1)).absolute()
hostile_plugin.WithHostilePlugin.LIBRARY = sys.argv.pop(1)
UNUSABLE, PLUGIN_FAILED = 3, 4  # exit codes


class Registry(hostile_plugin.WithHostilePlugin):
    def setUp(self):
        super().setUp()
        self.environment["FLOE_PLUGIN_PATH"] = ""
        self.user = self.work / "data/floe/plugins"

    def package(self, version="1.0.0", name="package.zip", top="hostile/"):
        folder = self.plugin()
        manifest = json.loads((folder / "plugin.json").read_text())
        path = self.work / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{top}plugin.json", json.dumps(manifest | {"version": version}))
            archive.write(folder / "libhostile.so", f"{top}libhostile.so")
        return path

    def installed(self):
        return sorted(path.name for path in self.user.iterdir()) if self.user.exists() else []

    def refuse(self, package, *parts, code=UNUSABLE):
        before = self.installed()
        result = self.floe("plugin", "install", package)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(self.installed(), before)  # nothing is left behind

    def test_an_archive_is_installed_described_and_removed(self):
        for top in ("hostile/", ""):
            result = self.floe("plugin", "install", self.package(top=top))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Installed test.hostile 1.0.0 (8 node types)", result.stdout)
            self.assertEqual(self.installed(), ["test.hostile"])
            info = json.loads(self.floe("plugin", "info", "test.hostile", "--json").stdout)
            self.assertEqual((info["version"], info["license"], info["abi"], info["state"], len(info["nodes"])),
                             ("1.0.0", "Apache-2.0", "1.0", "usable", 8))
            self.assertRegex(info["content"], "^[0-9a-f]{32}$")
            text = self.floe("plugin", "info", "test.hostile").stdout
            self.assertIn("licence    Apache-2.0", text)
            self.assertIn("test.hostile.force, version 1, cpu", text)
            self.assertIn("test.hostile 1.0.0", self.floe("plugin", "list").stdout)
            removed = self.floe("plugin", "remove", "test.hostile")
            self.assertEqual(removed.returncode, 0, removed.stderr)
            self.assertEqual(self.installed(), [])

    def test_a_folder_and_a_tar_are_packages_too(self):
        folder = self.plugin()
        tar = self.work / "package.tar.gz"
        with tarfile.open(tar, "w:gz") as archive:
            archive.add(folder, "hostile")
        contents = set()
        for package in (folder, tar):
            result = self.floe("plugin", "install", package)
            self.assertEqual(result.returncode, 0, result.stderr)
            contents.add(json.loads(self.floe("plugin", "info", "test.hostile", "--json").stdout)["content"])
        self.assertEqual(len(contents), 1)  # the same plugin has the same hash

    def test_a_new_version_takes_the_old_ones_place(self):
        self.floe("plugin", "install", self.package())
        library = (self.user / "test.hostile/libhostile.so").read_bytes()
        result = self.floe("plugin", "install", self.package("1.0.0"))
        self.assertIn("in place of 1.0.0", result.stdout)
        self.assertEqual(self.installed(), ["test.hostile"])
        # One that does not load leaves the old one as it is: the library says 1.0.0.
        self.refuse(self.package("2.0.0"), "is not installed", "its manifest says '2.0.0'", code=PLUGIN_FAILED)
        self.assertEqual((self.user / "test.hostile/libhostile.so").read_bytes(), library)
        self.assertEqual(json.loads((self.user / "test.hostile/plugin.json").read_text())["version"], "1.0.0")

    def test_what_leads_out_of_a_package_is_refused(self):
        for name in ("../escaped", "hostile/../../escaped", str(self.work / "escaped")):
            package = self.package()
            with zipfile.ZipFile(package, "a") as archive:
                archive.writestr(name, "out")
            self.refuse(package, "leads out of it")
            self.assertFalse((self.work / "escaped").exists())
        tar = self.work / "linked.tar"
        with tarfile.open(tar, "w") as archive:
            link = tarfile.TarInfo("hostile/plugin.json")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        self.refuse(tar, "neither file nor folder")
        folder = self.plugin()
        os.symlink("/etc/passwd", folder / "more.json")
        self.refuse(folder, "'more.json', which is neither file nor folder")

    def test_what_fills_a_disk_is_refused(self):
        bomb = self.package()
        with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("hostile/zeros", bytes(400 << 20))
        self.refuse(bomb, "unpacks to more than 200 times its size")
        tar = self.work / "claims.tar"
        with tarfile.open(tar, "w") as archive:
            much = tarfile.TarInfo("hostile/much")
            much.size = 1 << 40  # and none of it follows
            archive.fileobj.write(much.tobuf(tarfile.GNU_FORMAT))
        self.refuse(tar, "holds more than 4 GiB")
        for name, reason in (("a/" * 100 + "x", "is too long"), ("a" * 5000, "is too long"),
                             ("hostile/plugin.json", "'plugin.json' twice")):
            package = self.package()
            with zipfile.ZipFile(package, "a") as archive, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there twice
                archive.writestr(name, "more")
            self.refuse(package, reason)

    def test_what_is_no_package_is_refused(self):
        (self.work / "text.zip").write_text("not an archive")
        self.refuse(self.work / "text.zip", "cannot be read as an archive", code=5)
        with zipfile.ZipFile(self.work / "empty.zip", "w") as archive:
            archive.writestr("readme.txt", "nothing")
        self.refuse(self.work / "empty.zip", "holds no plugin.json")
        self.refuse(self.work / "missing.zip", "neither a folder nor a file", code=5)
        folder = self.plugin()
        (folder / "libhostile.so").write_text("no library")
        self.refuse(folder, "is not installed", "cannot be loaded", code=PLUGIN_FAILED)
        (folder / "libhostile.so").unlink()
        self.refuse(folder, "is not beside plugin.json", code=PLUGIN_FAILED)
        (folder / "plugin.json").write_text("{")
        self.assertEqual(self.floe("plugin", "install", folder).returncode, PLUGIN_FAILED)

    def test_a_damaged_archive_changes_nothing(self):
        package = self.package()
        data = package.read_bytes()
        for cut in (len(data) // 3, 2 * len(data) // 3):
            package.write_bytes(data[:cut])
            result = self.floe("plugin", "install", package)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(self.installed(), [])

    def sign(self, package):
        """Signs with a new key, which then is one of the user's."""
        home = self.work / "keys"
        if not home.exists():
            home.mkdir(mode=0o700)
            self.environment["GNUPGHOME"] = str(home)
            self.addCleanup(subprocess.run, ["gpgconf", "--kill", "all"], env=self.environment)
            self.gpg("--quick-gen-key", "Ada <ada@example.org>", "ed25519", "sign", "never")
        self.gpg("--yes", "--detach-sign", package)
        return pathlib.Path(f"{package}.sig")

    def gpg(self, *arguments):
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", *arguments], env=self.environment, check=True,
                       stdin=subprocess.DEVNULL)

    @unittest.skipUnless(shutil.which("gpg"), "GnuPG is not installed")
    def test_a_signature_is_checked_and_shown(self):
        def info():
            return json.loads(self.floe("plugin", "info", "test.hostile", "--json").stdout)

        self.floe("plugin", "install", self.package())
        self.assertEqual(info()["signature"], "none")

        package = self.package()
        signature = self.sign(package)
        result = self.floe("plugin", "install", package)
        self.assertIn("Signature: good, by Ada <ada@example.org>, key ", result.stdout)
        self.assertRegex(info()["signature"], r"^good, by Ada <ada@example.org>, key [0-9A-F]{40}$")
        self.assertFalse(info()["changedSinceInstalled"])
        (self.user / "test.hostile/more.txt").write_text("more")
        self.assertTrue(info()["changedSinceInstalled"])
        self.assertIn("its files have changed", self.floe("plugin", "info", "test.hostile").stdout)

        # A signature of another file: nothing is installed.
        with zipfile.ZipFile(package, "a") as archive:
            archive.writestr("hostile/more.txt", "other")
        self.refuse(package, "is not the file that was signed", code=PLUGIN_FAILED)
        signature.write_text("no signature")
        self.refuse(package, "cannot be read", code=PLUGIN_FAILED)

        # A key that the user does not have says nothing.
        package = self.package()
        self.sign(package)
        strangers = self.work / "other keys"
        strangers.mkdir(mode=0o700)
        self.environment["GNUPGHOME"] = str(strangers)
        result = self.floe("plugin", "install", package)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("which is not one of yours", result.stdout)

        pathlib.Path(f"{package}.sig").unlink()
        self.floe("plugin", "install", package)
        self.assertEqual(info()["signature"], "none")  # that of an earlier package is not shown

    def test_only_what_was_installed_is_removed(self):
        self.environment["FLOE_PLUGIN_PATH"] = str(self.plugin())
        result = self.floe("plugin", "remove", "test.hostile")
        self.assertEqual(result.returncode, UNUSABLE)
        self.assertIn("is not one that was installed: it is in", result.stderr)
        self.assertTrue((self.work / "plugins/hostile/plugin.json").exists())
        installed = self.floe("plugin", "install", self.package())
        self.assertIn("It is hidden by the plugin of the same id in", installed.stdout)


if __name__ == "__main__":
    unittest.main()
