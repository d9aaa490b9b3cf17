/** Common English words in questions, with little meaning for their topic. Stop words are not included. */
export const COMMON_WORDS: readonly string[] = (
  "able add again against ago air allow almost already always another anyone anything appear area around art ask away back " +
  "bad become begin believe between big body book bring build business buy call car case change child city come community " +
  "company consider continue country create cut date day die different door down during each early education end even every " +
  "everyone everything expect eye face fact fall family far father feel few find first follow force friend game get girl " +
  "give go good government great group grow guy hand happen head health hear help here high history hold home hour house " +
  "idea important include information issue job keep kill kind know large last law lead learn leave let level life line " +
  "list little live long look lose lot love make man many mean meet member minute moment money month morning mother move " +
  "much name need never new next night nothing now number off offer office often old open others own parent part party pay " +
  "people per person place play please point power president problem program provide public put question quite rather reach " +
  "read really reason remain remember research result right room run same say school see seem send serve service set show " +
  "side since sit small someone something soon speak spend stand start state stay still stop story student study sure " +
  "system take teacher team tell thank thing think time today try type under understand until use via wait walk want war " +
  "watch water way week well win within without woman word work world write year yet young"
).split(" ");
