# The files of the page are compiled in: page_files.cpp has them as text. icon.svg is an image, the
# rest is what its ending says.
set(page_folder ${CMAKE_CURRENT_LIST_DIR}/files)
set(page_files
  index.html api.js attention_map.js closer_look.js elements.js icon.svg jobs.js languages.js
  main.js page.css translate.js)
set(page_table "")
foreach(name ${page_files})
  file(READ ${page_folder}/${name} content)
  string(APPEND page_table "    {\"${name}\", R\"page(${content})page\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/${name})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/page_files.cpp.in
               ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp @ONLY)

target_sources(dietmt_service PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/analysis.cpp
  ${CMAKE_CURRENT_LIST_DIR}/page.cpp
  ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp)
