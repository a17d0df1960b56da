export { type ChosenFlows, chooseFlows } from "./choose.ts";
