/* A plug-in of another time, which must be refused. */
int sinew_plugin_version(void);
int sinew_plugin_version(void) { return 0; }
