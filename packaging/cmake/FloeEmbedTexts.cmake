# cmake -D LIST=FILE -P FloeEmbedTexts.cmake FILE ...: writes names and contents of files as C++ strings.
file(WRITE ${LIST} "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 5 ${last})
    file(READ "${CMAKE_ARGV${i}}" text)
    cmake_path(GET CMAKE_ARGV${i} FILENAME name)
    file(APPEND ${LIST} "{\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
