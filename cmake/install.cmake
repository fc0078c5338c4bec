# The installable package: find_package(sinew) gives sinew::core ... sinew::record.
