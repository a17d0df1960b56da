// Node-RED without an editor: only a new version of these files changes what runs. See ../../deploying.md.

module.exports = {
  uiPort: process.env.PORT || 1880,
  flowFile: "flows.json",
  // Nothing is written to this folder.
  readOnly: true,
  // flows_cred.json names the variables that contain the secrets. It contains none itself.
  credentialSecret: false,
  // No editor and no admin API. Health and metrics are then beside the addresses of flows, for requests with the token.
  httpAdminRoot: false,
  disableEditor: true,
  // All nodes and modules come with the image.
  externalModules: { palette: { allowInstall: false }, modules: { allowInstall: false } },
  telemetry: { enabled: false, updateNotification: false },
};
