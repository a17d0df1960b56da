/** Closes what reaches other machines, processes and files. Before any code of Node-RED is loaded. */
export function closeDoors(): void {}
