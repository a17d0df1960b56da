/** What Node-RED tells its editor. */
type RuntimeState = { state?: "start" | "stop" | "safe"; deploy?: boolean };

/** Calls back now, and whenever the flows are stopped or run again: by a person, in safe mode, without a node type. */
export function onFlowsStopped(call: (areStopped: boolean) => void): void {
  RED.events.on("runtime-state", (told) => {
    const { state, deploy } = told as unknown as RuntimeState;
    // A deploy starts them again.
    if (state !== undefined && !(deploy && state === "stop")) call(state !== "start");
  });
  // Where Node-RED has not told it yet, nothing is shown yet either.
  call(RED.runtime?.started === false);
}
