/** Topics of the editor's web socket. The first three come from the browser, the others go to it. */
export const TOPICS = {
  open: "crec/monitor/open",
  seen: "crec/monitor/seen",
  close: "crec/monitor/close",
  update: "crec/monitor/update",
  /** Retained: a browser gets it as soon as it subscribes over a connection that is logged in. */
  connected: "crec/monitor/connected",
} as const;
