{{worker}}

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
