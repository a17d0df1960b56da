export { type ChosenFlows, chooseFlows } from "./choose.ts";
export { type Fitted, fitToFile } from "./fit-to-file.ts";
