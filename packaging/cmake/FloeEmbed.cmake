# cmake -D SOURCE=FILE -D LIST=FILE -P FloeEmbed.cmake: writes the bytes of a file as a list of numbers.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${LIST} "${bytes}\n")
