// A labelled set for recall: short facts as agents keep them, and questions with the facts that answer them. Written for this purpose:
// names, numbers, dates, paraphrases, and facts that nearly repeat one another and differ in what matters.

/** `id: statement`, one a line. */
const LINES = `
a1: Ann Lindqvist drinks her coffee black, without sugar.
a2: Ann Lindqvist is allergic to hazelnuts.
a3: Ann's daughter Freja started school in August 2025.
a4: Ann moved from Uppsala to Gothenburg on 3 March 2024.
a5: Ann prefers to be called in the morning, never after 4 p.m.
a6: Ann plays the cello in an amateur orchestra.
a7: Ann's sister Maja works as a veterinarian in Lund.
a8: Ann reads her mail once a day, at noon.
b1: Bogdan Petrescu leads the billing team.
b2: Bogdan Petrescu speaks Romanian, French and English.
b3: Bogdan is on parental leave until 15 January 2027.
b4: Bogdan broke his left wrist while skiing in 2019.
b5: Bogdan wants invoices grouped by customer, not by month.
b6: Bogdan's deputy during his absence is Carla Mendes.
b7: Bogdan cycles to the office when it does not rain.
b8: Bogdan's birthday is the ninth of May.
c1: Carla Mendes signed the lease of the Lisbon office on 12 June 2023.
c2: Carla Mendes owns two cats named Tinto and Branco.
c3: Carla cannot eat gluten.
c4: Carla approved a travel budget of 4,500 euros for the spring fair.
c5: Carla learned to sail as a child in Cascais.
c6: Carla asked that weekly reports be at most one page.
c7: Carla's laptop was replaced on 2 October 2026.
c8: Carla uses a standing desk because of her back.
d1: Daiki Sato wrote the parser of the query language.
d2: Daiki Sato lives in Osaka, seven hours ahead of Berlin in summer.
d3: Daiki is afraid of flying and travels by train.
d4: Daiki's pull requests are reviewed by Elif.
d5: Daiki collects vintage fountain pens.
d6: Daiki will give a talk about incremental parsing in Kyoto on 21 November 2026.
d7: Daiki found that the memory leak came from an unclosed file handle.
d8: Daiki answers fastest in the chat channel, not by mail.
e1: Elif Kaya manages the security certification.
e2: Elif Kaya's visa expires on 30 September 2027.
e3: Elif bakes bread every Sunday.
e4: Elif decided to rotate all signing keys every ninety days.
e5: Elif studied mathematics at the university in Ankara.
e6: Elif adopted a retired greyhound called Pilot.
e7: Elif's emergency contact is her brother Deniz.
e8: Elif wants every outage written up within two working days.
f1: Farid Haddad negotiates with the suppliers of paper.
f2: Farid Haddad fasts during Ramadan and takes no lunch meetings then.
f3: Farid's contract with the Hamburg warehouse ends in December 2026.
f4: Farid got a discount of eight percent from Nordpapier.
f5: Farid has three brothers, all of them engineers.
f6: Farid prefers tea with mint.
f7: Farid's phone number ends in 4471.
f8: Farid writes poems in Arabic.
g1: Greta Novak is the contact at the customer Altmann Logistics.
g2: Greta Novak complained that the export to spreadsheets loses leading zeros.
g3: Greta asked for a dark theme in the dashboard.
g4: Greta renewed the subscription of Altmann Logistics for two years in July 2026.
g5: Greta will be replaced by Henrik Olsen at the end of the year.
g6: Greta dislikes phone calls and wants everything in writing.
g7: Greta's company has 340 drivers.
g8: Greta visited our office in Gothenburg in May 2025.
p1: Project Atlas migrates the customer database to the new region.
p2: Project Atlas has a budget of 120,000 euros.
p3: Project Atlas was due on 1 September 2026 and slipped by three weeks.
p4: The main risk of project Atlas is the duration of the final copy.
p5: The steering group of project Atlas meets every other Tuesday.
p6: Project Atlas is sponsored by the finance director.
p7: In project Atlas the rollback was rehearsed twice.
p8: Project Atlas reuses the import scripts of project Mercator.
q1: Project Mercator replaces the map provider of the tracking page.
q2: Project Mercator has a budget of 45,000 euros.
q3: Project Mercator was finished on 28 February 2026, a week early.
q4: Project Mercator reduced the loading time of maps from 3.2 to 1.1 seconds.
q5: The lesson of project Mercator was to agree on licence terms before development.
q6: Project Mercator was led by Ingrid Solberg.
q7: After project Mercator complaints about wrong addresses fell by a third.
q8: Project Mercator keeps the old map tiles for six months.
r1: Project Quill lets customers write their own report templates.
r2: Project Quill has a budget of 80,000 euros.
r3: Project Quill is on hold until a designer is hired.
r4: The first template of project Quill is the monthly delivery summary.
r5: Project Quill will not support macros, for reasons of security.
r6: Three customers volunteered to test project Quill.
r7: Project Quill stores templates as plain text files.
r8: The deadline of project Quill moved to the second quarter of 2027.
s1: The production database runs PostgreSQL 17.
s2: The staging database runs PostgreSQL 16.
s3: The nightly backup starts at 02:30 and takes forty minutes.
s4: Backups are kept for thirty-five days.
s5: The restore of a backup was last tested on 11 August 2026.
s6: The server for the test environment is shut down at weekends.
s7: Disk space of the log server is monitored with a warning at 80 percent.
s8: The load balancer closes idle connections after sixty seconds.
t1: The error E1042 means that the customs code of a parcel is missing.
t2: The error E1043 means that the weight of a parcel is above the limit.
t3: The error E2001 means that the label printer is out of paper.
t4: The error E2002 means that the label printer is offline.
t5: Error E3310 appears when two drivers scan the same parcel.
t6: Timeouts of the address service are retried three times.
t7: Restarting the queue worker clears error E5007.
t8: The web service answers 429 after one hundred requests in a minute.
u1: Standard parcels may weigh up to 31.5 kilograms.
u2: Express parcels may weigh up to 20 kilograms.
u3: Parcels to Norway need a customs declaration.
u4: Parcels to Denmark need no customs declaration.
u5: The pickup in Gothenburg is at 5 p.m. on working days.
u6: The pickup in Malmö is at 3 p.m. on working days.
u7: Returns are free of charge within thirty days.
u8: Glass must be packed in double-walled boxes.
v1: Altmann Logistics pays within fourteen days.
v2: Berger & Sons pays within sixty days.
v3: Cormorant Foods owes 12,300 euros since June.
v4: Delta Fabrics was given a credit limit of 25,000 euros.
v5: Evergreen Books receives a rebate of five percent.
v6: Fjord Furniture ships mostly oversized goods.
v7: Golden Bakery needs deliveries before six in the morning.
v8: Harbour Pharmacy requires refrigerated transport.
w1: The office in Lisbon has room for eighteen people.
w2: The office in Gothenburg has room for sixty people.
w3: The alarm code of the Gothenburg office is changed every quarter.
w4: The coffee machine on the second floor is repaired by the firm Brygg.
w5: The meeting room Skagen has a projector, the room Marstrand has none.
w6: Visitors of the Lisbon office register at the reception on the ground floor.
w7: The fire drill in Gothenburg takes place each April.
w8: Parking at the Lisbon office costs nine euros a day.
x1: The team decided to write all interfaces in English and German.
x2: The team decided against a mobile app; the web page must work on phones.
x3: The team agreed to release on Wednesdays only.
x4: The team rejected the offer of the agency Blaustein because of its price.
x5: The team chose blue as the colour of the new logo.
x6: It was decided that support answers within four working hours.
x7: It was decided to stop selling vouchers in 2027.
x8: The team adopted trunk-based development in March 2026.
y1: The marketing campaign in Norway brought 210 new customers.
y2: The marketing campaign in Sweden brought 95 new customers.
y3: Newsletter readers open messages most often on Thursday mornings.
y4: The video about packing glass was watched 18,000 times.
y5: Adverts on trams in Gothenburg were judged too expensive.
y6: Customers say that tracking is the feature they like best.
y7: The most frequent reason to leave is the price of express delivery.
y8: A survey in September 2026 gave a satisfaction of 8.1 out of 10.
z1: The van with the plate GBG 417 needs new brakes.
z2: The van with the plate GBG 471 failed its inspection.
z3: Electric vans reach about 260 kilometres in winter.
z4: Diesel costs were 14 percent lower than last year.
z5: Drivers must rest for forty-five minutes after four and a half hours.
z6: The workshop in Mölndal is closed in July.
z7: Winter tyres are mounted in the second week of October.
z8: The new trailer carries 33 pallets.
h1: Henrik Olsen comes from Bergen and likes to hike.
h2: Henrik Olsen has a peanut allergy.
h3: Henrik's first day at Altmann Logistics is 4 January 2027.
h4: Henrik asked for training material in Norwegian.
h5: Henrik used to work at the port authority.
h6: Henrik's assistant is called Signe.
i1: Ingrid Solberg retired in June 2026.
i2: Ingrid Solberg now advises us two days a month.
i3: Ingrid documented the map licences in the shared folder.
i4: Ingrid's farewell present was a kayak.
i5: Ingrid recommended hiring Jonas Weber.
i6: Ingrid never joined meetings before nine.
j1: Jonas Weber starts as a designer on 1 February 2027.
j2: Jonas Weber asked to work four days a week.
j3: Jonas built the prototype of the driver tablet.
j4: Jonas is colour-blind and needs patterns besides colours.
j5: Jonas's salary was agreed at 58,000 euros a year.
j6: Jonas speaks Danish with his grandparents.
k1: Kenji Mori audits our accounts every March.
k2: Kenji Mori found two invoices that were booked twice.
k3: Kenji wants receipts for all expenses above 25 euros.
k4: Kenji's report praised the new approval process.
k5: Kenji stays at the hotel Avalon when he visits.
k6: Kenji plays chess by correspondence.
l1: Lucía Romero is the lawyer who checks our contracts.
l2: Lucía Romero advised adding a clause on data retention.
l3: Lucía charges 190 euros an hour.
l4: Lucía is away every year in the first half of August.
l5: Lucía warned that the word "guarantee" must not appear in adverts.
l6: Lucía's office moved to Calle Mayor 14.
m1: Milos Jovanovic repairs the label printers.
m2: Milos Jovanovic keeps spare print heads in cabinet 7.
m3: Milos said that the model ZT411 jams when labels are damp.
m4: Milos comes on Mondays and Fridays.
m5: Milos replaced the fan of printer 3 in September.
m6: Milos runs marathons; his best time is 2:58.
n1: The password policy requires sixteen characters.
n2: Two-factor authentication is mandatory since 1 May 2026.
n3: Suppliers' accounts are locked after ninety days without use.
n4: A phishing mail in April pretended to come from the tax office.
n5: Laptops are encrypted; the recovery keys are held by Elif.
n6: The certificate of the tracking page expires on 19 December 2026.
o1: The summer party is held on the island of Styrsö.
o2: The Christmas dinner is at the restaurant Sjömagasinet.
o3: The running club meets on Tuesdays at six.
o4: The book club reads a novel by Selma Lagerlöf.
o5: Birthday cakes are ordered from Golden Bakery.
o6: The quiz night was won by the billing team.
aa1: The spare keys of the Gothenburg office are with the porter, Mr Ekström.
aa2: The spare keys of the Lisbon office are in the safe.
aa3: The safe in Lisbon was bought in 2021 and weighs 140 kilograms.
aa4: Order 77120 was delivered to the wrong address in Trollhättan.
aa5: Order 77210 was delivered on time.
aa6: Order 71720 was cancelled by the customer.
aa7: The franking machine is rented until 2029.
aa8: The water in the Mölndal workshop is turned off on 8 December 2026.
ab1: The insurance covers parcels up to a value of 2,000 euros.
ab2: The insurance of the vans costs 11,400 euros a year.
ab3: The claim for the broken mirror was paid on 6 July 2026.
ab4: Trainees are paid for travel to the vocational school.
ab5: The trainee Noor Aziz writes her thesis about route planning.
ab6: The trainee Pelle Dahl left us in May.
ab7: Overtime is paid out in the following month.
ab8: Holidays not taken by 31 March expire.
`;

export const FACTS: ReadonlyArray<{ readonly id: string; readonly text: string }> = LINES.trim()
  .split("\n")
  .map((line) => ({
    id: line.slice(0, line.indexOf(":")),
    text: line.slice(line.indexOf(":") + 2),
  }));

/** Each question with the facts that answer it. */
export const QUESTIONS: ReadonlyArray<{
  readonly question: string;
  readonly answers: readonly string[];
}> = [
  ["How does Ann take her coffee?", "a1"],
  ["Which nuts must Ann avoid?", "a2"],
  ["When did Ann Lindqvist's daughter begin school?", "a3"],
  ["Where did Ann live before Gothenburg?", "a4"],
  ["What time of day should I phone Ann?", "a5"],
  ["Which instrument does Ann play?", "a6"],
  ["Who stands in for Bogdan while he is away?", "b6"],
  ["Until when is Bogdan on leave?", "b3"],
  ["What languages does Bogdan Petrescu speak?", "b2"],
  ["How should invoices be grouped for Bogdan?", "b5"],
  ["Who signed the lease for the office in Lisbon?", "c1"],
  ["What are the names of Carla's cats?", "c2"],
  ["Does Carla have a food intolerance such as gluten?", "c3"],
  ["How long may the weekly report for Carla be?", "c6"],
  ["How much was approved for travel to the spring fair?", "c4"],
  ["Who wrote the query language parser?", "d1"],
  ["Why does Daiki take the train?", "d3"],
  ["What was the cause of the memory leak?", "d7"],
  ["When is the talk on incremental parsing in Kyoto?", "d6"],
  ["How often are the signing keys rotated?", "e4"],
  ["When does Elif's visa run out?", "e2"],
  ["Who should be called in an emergency of Elif's?", "e7"],
  ["How soon must an outage be written up?", "e8"],
  ["What discount did Nordpapier give?", "f4"],
  ["When does the contract with the warehouse in Hamburg end?", "f3"],
  ["What are the last digits of Farid's phone number?", "f7"],
  ["What did Greta complain about in the spreadsheet export?", "g2"],
  ["Who takes over from Greta Novak?", "g5"],
  ["What is the budget of project Atlas?", "p2"],
  ["What is the budget of project Quill?", "r2"],
  ["What is the budget of project Mercator?", "q2"],
  ["What is the biggest risk in project Atlas?", "p4"],
  ["When was project Mercator finished?", "q3"],
  ["What did we learn from project Mercator about licences?", "q5"],
  ["Why is project Quill on hold?", "r3"],
  ["Which PostgreSQL version does production run?", "s1"],
  ["Which PostgreSQL version does staging run?", "s2"],
  ["For how many days are backups kept?", "s4"],
  ["When did we last test restoring a backup?", "s5"],
  ["What does E1042 mean?", "t1"],
  ["What does error E2002 stand for?", "t4"],
  ["What helps against E5007?", "t7"],
  ["How heavy may an express parcel be?", "u2"],
  ["How heavy may a standard parcel be?", "u1"],
  ["Do parcels to Denmark need a customs declaration?", "u4"],
  ["When is the pickup in Malmö?", "u6"],
  ["How must glass be packed?", "u8"],
  ["Which customer pays within sixty days?", "v2"],
  ["Who needs refrigerated transport?", "v8"],
  ["How many people fit into the Lisbon office?", "w1"],
  ["Which meeting room has a projector?", "w5"],
  ["On which weekday do we release?", "x3"],
  ["Why was the agency Blaustein turned down?", "x4"],
  ["How many new customers did the campaign in Norway bring?", "y1"],
  ["What is wrong with the van GBG 471?", "z2"],
  ["Which van needs new brakes?", "z1"],
  ["Which people are allergic to something?", "a2 h2"],
  ["When does Jonas Weber start?", "j1"],
  ["What is Lucía's hourly rate?", "l3"],
  ["Where are the spare print heads kept?", "m2"],
  ["When does the certificate of the tracking page expire?", "n6"],
  ["Where is the Christmas dinner?", "o2"],
  ["What must accessible designs for Jonas have besides colours?", "j4"],
  ["What happened to order 77120?", "aa4"],
  ["What became of order 71720?", "aa6"],
  ["Who keeps the spare keys in Gothenburg?", "aa1"],
  ["What is the topic of Noor's thesis?", "ab5"],
  ["Up to which value are parcels insured?", "ab1"],
  ["What does insuring the vans cost per year?", "ab2"],
  ["What is Bogdan Petresku's date of birth?", "b8"],
  ["Who is colourblind?", "j4"],
  ["Until when must leave be used up?", "ab8"],
  ["Above which amount does Kenji want receipts for expenses?", "k3"],
].map(([question = "", answers = ""]) => ({ question, answers: answers.split(" ") }));
