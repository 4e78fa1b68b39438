# What `cmake --install` puts where, and the Debian package. The layout is the same under any prefix:
#   bin/floe                     the program (see runtime/app)
#   bin/floe-editor              the editor
#   lib/floe/floe_ranks_mpi.so   what speaks MPI, where the build found it
#   lib/floe/plugins/NAME/       plugins (each installs itself, see floe_add_plugin)
#   lib/cmake/Floe/              find_package(Floe)
#   include/floe/sdk/            what a plugin includes
#   share/floe/{graphs,schema,examples,training,translations}
#   share/floe/python/           the Python package, for PYTHONPATH
#   share/floe/blender/          the Blender add-on
#   share/{applications,icons,mime}/  the editor's desktop entry
#   share/doc/floe/
# Component runtime runs graphs; component sdk builds plugins.
include(CMakePackageConfigHelpers)
include(FloePages)

# ---------------------------------------------------------------------------------- runtime
install(DIRECTORY ${PROJECT_SOURCE_DIR}/graphs/ DESTINATION share/floe/graphs COMPONENT runtime
    OPTIONAL FILES_MATCHING PATTERN *.floe.json PATTERN *.obj PATTERN *.ply PATTERN *.stl
    PATTERN pictures/*.jpg)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/graph/schema/ DESTINATION share/floe/schema
    COMPONENT runtime OPTIONAL FILES_MATCHING PATTERN *.json)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugins/activation/training/ DESTINATION share/floe/training
    USE_SOURCE_PERMISSIONS COMPONENT runtime
    FILES_MATCHING PATTERN *.py PATTERN results.md PATTERN *.png PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/python/floe DESTINATION share/floe/python
    COMPONENT runtime FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/blender/floe_import DESTINATION share/floe/blender
    COMPONENT runtime FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
include(FloePython)
if(FLOE_PYTHON) # what editors complete
    file(GLOB manifests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/plugins/*/plugin.json)
    set(stub ${PROJECT_BINARY_DIR}/python/floe/nodes.pyi)
    add_custom_command(OUTPUT ${stub}
        COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/runtime/python PYTHONDONTWRITEBYTECODE=1
                ${FLOE_PYTHON} -m floe.stubs --manifests ${PROJECT_SOURCE_DIR}/plugins
                --output ${PROJECT_BINARY_DIR}/python > ${PROJECT_BINARY_DIR}/python_stub.log
        DEPENDS ${manifests} ${PROJECT_SOURCE_DIR}/runtime/python/floe/stubs.py VERBATIM)
    add_custom_target(python_stub ALL DEPENDS ${stub})
    install(FILES ${stub} DESTINATION share/floe/python/floe COMPONENT runtime)
endif()
floe_install_page(README.md runtime)
floe_install_page(runtime/python/README.md runtime)
floe_install_page(packaging/blender/README.md runtime)
floe_install_page(packaging/HOUDINI.md runtime)
floe_install_page(packaging/CHANGELOG.md runtime)
floe_install_page(runtime/app/README.md runtime)
floe_install_page(runtime/graph/README.md runtime)
floe_install_page(runtime/ranks/README.md runtime)
floe_install_page(runtime/serve/PROTOCOL.md runtime)
floe_install_page(graphs/activation/README.md runtime)
floe_install_page(plugins/activation/training/README.md runtime)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/serve/protocol.schema.json DESTINATION share/floe/schema
    COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/editor/manual/ DESTINATION share/doc/floe/manual
    COMPONENT runtime)
# The node reference is what the program says of its own plugins.
add_custom_target(node_reference ALL
    COMMAND ${CMAKE_COMMAND} -E env --unset=FLOE_PLUGIN_PATH XDG_DATA_HOME=${PROJECT_BINARY_DIR}
            $<TARGET_FILE:floe> nodes > ${PROJECT_BINARY_DIR}/nodes.md
    BYPRODUCTS ${PROJECT_BINARY_DIR}/nodes.md VERBATIM)
add_dependencies(node_reference floe_all)
install(FILES ${PROJECT_BINARY_DIR}/nodes.md DESTINATION share/doc/floe COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/floe COMPONENT runtime
    RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/render/DejaVuSans.license.txt
    DESTINATION share/doc/floe COMPONENT runtime)

# ----------------------------------------------------------------------------------- editor
if(FLOE_HAVE_EDITOR)
    install(TARGETS floe-editor RUNTIME DESTINATION bin COMPONENT runtime)
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/floe-editor.desktop
        DESTINATION share/applications COMPONENT runtime)
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/floe-mime.xml
        DESTINATION share/mime/packages RENAME floe.xml COMPONENT runtime)
    install(FILES ${PROJECT_SOURCE_DIR}/editor/icons/floe.svg
        DESTINATION share/icons/hicolor/scalable/apps COMPONENT runtime)
endif()

# What FloeInstallable.cmake builds where it is missing.
add_custom_target(installable)
add_dependencies(installable floe_all node_reference)
foreach(target python_stub floe-editor)
    if(TARGET ${target})
        add_dependencies(installable ${target})
    endif()
endforeach()

# -------------------------------------------------------------------------------------- sdk
set(sdk ${PROJECT_SOURCE_DIR}/runtime/sdk)
install(TARGETS floe_sdk EXPORT FloeTargets COMPONENT sdk)
install(EXPORT FloeTargets NAMESPACE floe:: DESTINATION lib/cmake/Floe COMPONENT sdk)
install(DIRECTORY ${sdk}/include/floe DESTINATION include COMPONENT sdk
    FILES_MATCHING PATTERN *.h PATTERN *.hpp PATTERN *.cuh)

file(STRINGS ${sdk}/include/floe/sdk/floe.h abi REGEX "define FLOE_ABI_M(AJOR|INOR)")
list(TRANSFORM abi REPLACE "[^0-9]" "")
list(JOIN abi . FLOE_ABI)
configure_package_config_file(${sdk}/cmake/FloeConfig.cmake.in
    ${PROJECT_BINARY_DIR}/cmake/FloeConfig.cmake INSTALL_DESTINATION lib/cmake/Floe)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/FloeConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${sdk}/cmake/FloeAddPlugin.cmake
    ${PROJECT_BINARY_DIR}/cmake/FloeConfig.cmake ${PROJECT_BINARY_DIR}/cmake/FloeConfigVersion.cmake
    DESTINATION lib/cmake/Floe COMPONENT sdk)
floe_install_page(runtime/sdk/README.md sdk)
floe_install_page(runtime/sdk/SHIPPING.md sdk)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugins/examples/ DESTINATION share/floe/examples
    COMPONENT sdk)

# ----------------------------------------------------------------------------------- package
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME floe)
set(CPACK_PACKAGE_VENDOR "Floe developers")
set(CPACK_PACKAGE_CONTACT "Floe developers <floe@users.noreply.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Node graphs for physical simulation")
set(CPACK_PACKAGE_DESCRIPTION
    "Runs graphs of emitters, colliders, materials and solvers on a GPU or a CPU,\n\
renders them and writes OpenVDB and other standard files. With the headers and\n\
CMake functions to write plugins.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime sdk)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON) # only what the two components name
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_NAME floe)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # floe_VERSION_ARCHITECTURE.deb
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mesa-vulkan-drivers, ffmpeg, fonts-inter, qt6-translations-l10n, openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gpg, python3-numpy, cmake, g++, libnanovdb-dev, nlohmann-json3-dev")
# The package needs what is installed, not the tests: it is built before its files are copied.
set(CMAKE_SKIP_PACKAGE_ALL_DEPENDENCY ON)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cmake/build_installable.cmake CONTENT
    "execute_process(COMMAND \"@CMAKE_COMMAND@\" --build \"@PROJECT_BINARY_DIR@\" --target installable
    COMMAND_ERROR_IS_FATAL ANY)\n" @ONLY)
set(CPACK_INSTALL_SCRIPTS ${PROJECT_BINARY_DIR}/cmake/build_installable.cmake)
include(CPack)
