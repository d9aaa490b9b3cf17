export { networkOf, type Network } from "../../../events/run-network.ts";
