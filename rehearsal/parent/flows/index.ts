export { type ChosenFlows, chooseFlows } from "./choose.ts";
export { fitToFile } from "./fit-to-file.ts";
