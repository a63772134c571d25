// Ledgers of format 4, as SQL: three that were created in it (cells merged and a one-sided part; cells kept apart; a
// stream) and three that were created in formats 1 to 3 and charged again afterwards. Made by the program of that
// time; not to be changed.
#pragma once

namespace kith::ledger {

inline constexpr const char* kFormat4Plain = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'da1c820e9a7cc8ebe3c86ed640060134',1794776308,'identity',0,'c96fea0230554d14286c978dfc719de4c8680ced9466913b9ff950214d509af2',0,0);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
INSERT INTO cells VALUES(2,'cell 2');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794776308,5,X'0103','policy','SELECT count(*) FROM t','key 1','',0,0,'9923d7cabdea93298f6f5456388b07fd759e15e3060e02c5d7205d7937cfff71');
INSERT INTO entries VALUES(2,1,2,1794776308,7,X'0102','policy','SELECT count(*) FROM t WHERE a','key 2','',0,1,'16c45ac5d3c1874e1b91cad725f6ec8375a2540a3dc6410eea5af25096147f26');
INSERT INTO entries VALUES(3,2,1,1794776308,0,X'','','','key 1','5cc47001f7c1334db3c568ddbb1c8ee51812aa8e75582ca616b1ec31bf2ddc16',0,0,'5cbadc0a4fc48a2393dfe833fb44c9de5180ed4d20c24819e310b0dee7f53995');
INSERT INTO entries VALUES(4,1,3,1794776308,9,X'0107','policy','one-sided 60 7:arrival 9:ill = ''y''; q','key 3','',0,0,'c539c55b6d08b3bbec097d0e59c597aca46e13b06ba5f820af512c2dd5b74876');
INSERT INTO entries VALUES(5,3,1,1794776308,0,X'','policy','2026-11','1f-1-00','',0,1,'41f3504e72200e640a6d283d124c2ea54738782375f9694b0c4dc603b5ad0061');
INSERT INTO entries VALUES(6,1,4,1794776308,4,X'0104','policy','one-sided','key 4','',0,0,'a557396cba1777cfbd69a6243dc0cea2bdf02413a5f92076f5f274e04abc1492');
INSERT INTO entries VALUES(7,2,4,1794776308,0,X'','','','key 4','04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00',0,0,'0368d0de0d153dcb631fe28ed7631fa469a5c0607cb7e20d1a0c091a17f77ff8');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'forty-two');
INSERT INTO answers VALUES(7,'four');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,7,4,'0368d0de0d153dcb631fe28ed7631fa469a5c0607cb7e20d1a0c091a17f77ff8',X'02150119');
)sql";

inline constexpr const char* kFormat4Apart = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'f7e087150c7cb017c344f0414a6ace3a',1794776308,'identity',0,'f3bc0863eac2ff649fdb5d18ea0ecb4a9cd99de4127f9f1d4eef4e9b5f0bc994',0,0);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794776308,100,X'0101','policy','SELECT count(*) FROM t','key','',0,0,'8fd0ab1d91ff3b7dc2af1d28f0d61666f45cc9aa7a7809debb026c46c0b81204');
INSERT INTO entries VALUES(2,3,1,1794776308,0,X'','policy','','a','',0,0,'4f1ded843674d0e99e8f5c49783a6649bf2c7434623104204d93acda6854b27a');
INSERT INTO entries VALUES(3,1,2,1794776308,70,X'0102','policy','SELECT count(*) FROM t','key','',0,0,'a8a8b7198b40ff5d48c4a601a0df39a679dfda5335032f67f95a8f74465ae1cd');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,3,2,'a8a8b7198b40ff5d48c4a601a0df39a679dfda5335032f67f95a8f74465ae1cd',X'01640146');
)sql";

inline constexpr const char* kFormat4Stream = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'9a435c81dbb8e903ec126dbc213dcd04',1794776308,'identity',1,'3a1132d5b32d5da9d661f29a21545408bf9aad83836598d9802d960803305bae',0,0);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794776308,10,X'0101','policy','q','step 0','',0,0,'f14233d86e0c1acd02fd41cc901b1691d95c17c348874d07afcded8290ac33f8');
INSERT INTO entries VALUES(2,1,2,1794776308,12,X'0101','policy','q','step 2','',2,0,'9d00818e5ae93650c1d359ae3892907d5e9809f1152904d19e75171d1d990dbd');
INSERT INTO entries VALUES(3,2,2,1794776308,0,X'','','','step 2','3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',0,0,'759576e3c399c460fa00b14332fb6cfa64bcc1c1cb49dfd6f54fdd014845c323');
INSERT INTO entries VALUES(4,3,1,1794776308,0,X'','policy','','b','',0,1,'ad92d26e7318ad15d50fe671388af9f1b9ac26ad3c9cca142f725b4b0a98cbc7');
INSERT INTO entries VALUES(5,1,3,1794776308,13,X'0102','policy','q','step 3','',3,0,'c07447de7dd3515063931665b9a79f68dd27e29a502820ae1c48dcd0b11f6023');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'two');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,5,3,'c07447de7dd3515063931665b9a79f68dd27e29a502820ae1c48dcd0b11f6023',X'01160123');
)sql";

inline constexpr const char* kFormat4From1 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'b87c23dc5b6c95b91e5caa605ec48ffa',1794764971,'identity',0,'ae57c631b4aff88a2b61cfb8f11e378d78406594fb2e0ad0a8a74b4390254a3d',1,4);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
INSERT INTO cells VALUES(2,'cell 2');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794764971,5,X'0103','policy','SELECT count(*) FROM t','key 1','',0,0,'bae954381b1cce0348407b7c70dcd5892f11472c46d8176255f2d0470607db9e');
INSERT INTO entries VALUES(2,1,2,1794764971,7,X'0102','policy','SELECT count(*) FROM t WHERE a','key 2','',0,0,'c2565fd4019d3994a7425fe9e4d6ea16b7a1bd840440393e1164b9f9a5d94db4');
INSERT INTO entries VALUES(3,2,1,1794764971,0,X'','','','key 1','5cc47001f7c1334db3c568ddbb1c8ee51812aa8e75582ca616b1ec31bf2ddc16',0,0,'67b27b78ad562580955a0d0b1f1cf45fa2dd28b4032d4912c4df4098aa1af36a');
INSERT INTO entries VALUES(4,1,3,1794764971,9,X'0107','policy','q','key 3','',0,0,'02db707aff40a7f35450d3c231f93d42dd05d9b76bdee6dd8738ad58912ffa86');
INSERT INTO entries VALUES(5,4,1,1794776309,4,X'','','','','',0,0,'32c095f414c82cc4b334b787389a902f77af2cafaf423304ad2672138d1446f6');
INSERT INTO entries VALUES(6,1,4,1794776309,100,X'0101','policy','new','new key','',0,0,'92891f97e4820a42fcecccdad12fc3bf0e206aa0cdc2c64c95e8a43d610c422d');
INSERT INTO entries VALUES(7,2,4,1794776309,0,X'','','','new key','d26194599f070036322237588caec75d8d5dda6d8ca76212f28cea305435838f',0,0,'498e7646f7de87c387a3c098113e20758c22bc7a063cdc7e0faf4cb34120f3f0');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'forty-two');
INSERT INTO answers VALUES(7,'new answer');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,7,4,'498e7646f7de87c387a3c098113e20758c22bc7a063cdc7e0faf4cb34120f3f0',X'017201150109');
)sql";

inline constexpr const char* kFormat4From2 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'91b1646518bac4fb2e70e5f3fe911b1d',1794764971,'identity',1,'fd4ac01b0141defff3fcd7c2fb2154a5321d69e8bc9cdee6910cd9468c359819',2,4);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794764971,10,X'0101','policy','q','step 0','',0,0,'ec7482b04a7cb6769e71d860a6c72073620bd54a1e7111657a4ef2f60d5f8042');
INSERT INTO entries VALUES(2,1,2,1794764971,12,X'0101','policy','q','step 2','',2,0,'2697fd8b7f4c9da213bd4ac52ea3d01241ee606c709bbad07fc74bb77cbd21d5');
INSERT INTO entries VALUES(3,2,2,1794764971,0,X'','','','step 2','3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',0,0,'3423a87f66ff4ed7805fa8dc871ffb4813e61665e19f59e986ea7d519ebfde80');
INSERT INTO entries VALUES(4,1,3,1794764971,13,X'0102','policy','q','step 3','',3,0,'547d2586c8622931b01255a3ca5e1123c9348f370f428ba4b38a6822ac321e1f');
INSERT INTO entries VALUES(5,4,2,1794776309,4,X'','','','','',0,0,'2af41d0bfd9c07d3763ec14db1825a53e69a12a8723e31bcde5cb247884ef07f');
INSERT INTO entries VALUES(6,1,4,1794776309,100,X'0101','policy','new','new key','',9,0,'7a324e3e893c91d61d3e62348cae073c7c4bc0cf053ad298881d94190b1a758c');
INSERT INTO entries VALUES(7,2,4,1794776309,0,X'','','','new key','d26194599f070036322237588caec75d8d5dda6d8ca76212f28cea305435838f',0,0,'32746d92b6012f83d2bb3e9131b1db0b12023e80e2fb93ab756180cd49cf6118');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'two');
INSERT INTO answers VALUES(7,'new answer');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,7,4,'32746d92b6012f83d2bb3e9131b1db0b12023e80e2fb93ab756180cd49cf6118',X'017a010d');
)sql";

inline constexpr const char* kFormat4From3 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT NULL, old_entries INTEGER NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'254aa1a16259130d9a932b5f87e66339',1794764971,'identity',0,'8e2a5580496ab971725096002cfe3ce97b34dd9211701c052e449eb2fb38481f',3,4);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
INSERT INTO cells VALUES(2,'cell 2');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3, 4)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), how INTEGER NOT NULL CHECK (how IN (0, 1)), head TEXT NOT NULL) STRICT;
INSERT INTO entries VALUES(1,1,1,1794764971,5,X'0103','policy','SELECT count(*) FROM t','key 1','',0,0,'2258dca8c49a9dad09d47237f50f790369eeff51fb94396cadf909b11be0214c');
INSERT INTO entries VALUES(2,1,2,1794764971,7,X'0102','policy','SELECT count(*) FROM t WHERE a','key 2','',0,0,'8e40fa8700235a39dc30b4e5d7f72ae8f7621116e0491732a9a8c343066fad9a');
INSERT INTO entries VALUES(3,2,1,1794764971,0,X'','','','key 1','5cc47001f7c1334db3c568ddbb1c8ee51812aa8e75582ca616b1ec31bf2ddc16',0,0,'db77905c3d1ecbf20b3185cf9c3515ddffa5b4d89b6db22fd33ee7e82d0a2304');
INSERT INTO entries VALUES(4,1,3,1794764971,9,X'0107','policy','one-sided 60 7:arrival 9:ill = ''y''; q','key 3','',0,0,'51e5a33257db7b8f3cb321bac07287a45a286c69c5bfa0a987b194d2194439fb');
INSERT INTO entries VALUES(5,4,3,1794776309,4,X'','','','','',0,0,'2d11b022d78873690cb1034ca054386b45781810b8691d9350d553a85f5fab3f');
INSERT INTO entries VALUES(6,1,4,1794776309,100,X'0101','policy','new','new key','',0,0,'06897d7550f50c32abf07eb418fd39fcf2f6e13b9e9d8af4eda41ae15b32b7ad');
INSERT INTO entries VALUES(7,2,4,1794776309,0,X'','','','new key','d26194599f070036322237588caec75d8d5dda6d8ca76212f28cea305435838f',0,0,'d0d0bb20067920d3f078e3c4d5dce29c39adfd0b1696739412674770b87b3f31');
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'forty-two');
INSERT INTO answers VALUES(7,'new answer');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,7,4,'d0d0bb20067920d3f078e3c4d5dce29c39adfd0b1696739412674770b87b3f31',X'017201150109');
)sql";

}  // namespace kith::ledger
