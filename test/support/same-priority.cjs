// Rehearsals run at a lower priority than Node-RED, and would wait for all other tests.
require("node:os").setPriority = () => {};
