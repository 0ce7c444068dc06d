-- Seeds. Every insert leaves a row that a curator already has untouched.

INSERT INTO levels (name, position, needs_parent, is_leaf) VALUES
    ('acervo', 1, false, false),
    ('fundo', 2, false, false),
    ('seção', 3, false, false),
    ('série', 4, false, false),
    ('dossiê/processo', 5, true, false),
    ('item documental', 6, true, true)
ON CONFLICT DO NOTHING;

INSERT INTO level_aliases (level_id, alias)
SELECT l.id, a.alias
FROM (VALUES
    ('acervo', 'collection'), ('acervo', 'coleção'),
    ('fundo', 'fonds'), ('fundo', 'fundos'),
    ('seção', 'subfonds'), ('seção', 'subfundo'), ('seção', 'section'), ('seção', 'subseção'),
    ('série', 'series'), ('série', 'subsérie'), ('série', 'subseries'),
    ('dossiê/processo', 'dossiê'), ('dossiê/processo', 'processo'), ('dossiê/processo', 'file'),
    ('item documental', 'item'), ('item documental', 'documento'), ('item documental', 'peça')
) AS a (level, alias)
JOIN levels l ON l.name = a.level
ON CONFLICT DO NOTHING;

INSERT INTO typologies (name) VALUES
    ('Planta Arquitetônica'), ('Mapa / Croqui Urbanístico'), ('Fotografia'), ('Decreto / Lei / Portaria'),
    ('Ofício / Memorando'), ('Audiovisual'), ('Ata de Reunião'), ('Relatório Técnico'), ('Processo Administrativo'), ('Dossiê Funcional')
ON CONFLICT DO NOTHING;

INSERT INTO subject_categories (name) VALUES
    ('Urbanismo e Arquitetura'), ('Mobilidade e Transporte'), ('Religião'), ('Meio Ambiente e Áreas Verdes'),
    ('Economia e Comércio'), ('Educação e Cultura'), ('Patrimônio e Preservação'), ('Assistência e Questões Sociais')
ON CONFLICT DO NOTHING;

INSERT INTO stopwords (term, scope) VALUES
    ('diversos', 'TAG'), ('outros', 'TAG'), ('geral', 'TAG'), ('vários', 'TAG'), ('assuntos diversos', 'TAG'), ('etc', 'ALL')
ON CONFLICT DO NOTHING;

INSERT INTO synonyms (term, canonical, scope) VALUES
    ('foto', 'fotografia', 'TAG'), ('fotos', 'fotografia', 'TAG'), ('fotografias', 'fotografia', 'TAG'),
    ('plantas', 'planta', 'TAG'), ('mapas', 'mapa', 'TAG')
ON CONFLICT DO NOTHING;

INSERT INTO exclusions (term, kind) VALUES
    ('não identificado', 'NER'), ('não identificada', 'NER'), ('ilegível', 'NER'),
    ('não identificado', 'SUBJECT'), ('ilegível', 'SUBJECT')
ON CONFLICT DO NOTHING;

INSERT INTO cleaning_rules (name, kind, target_column, pattern, replacement, position) VALUES
    ('Entidades HTML no título', 'REWRITE', 'original_title', '&amp;', '&', 10),
    ('Espaços repetidos no título', 'REWRITE', 'original_title', '[\s\x{00a0}]{2,}|\x{00a0}', ' ', 20),
    ('Espaço antes de pontuação no título', 'REWRITE', 'original_title', '\s+([,;:.!?])', '$1', 30),
    ('Traços no fim do título', 'REWRITE', 'original_title', '\s*-{2,}\s*$', '', 40),
    ('Abreviatura Fotogr. no título', 'REWRITE', 'original_title', '\bfotogr\.', 'Fotografia', 50),
    ('Marcas HTML no âmbito e conteúdo', 'REWRITE', 'scope_content', '\s*</?(?:br|p|div|i|b)\s*/?>\s*|&nbsp;', ' ', 60),
    ('Entidades HTML no âmbito e conteúdo', 'REWRITE', 'scope_content', '&amp;', '&', 70),
    ('Espaços repetidos no âmbito e conteúdo', 'REWRITE', 'scope_content', '[ \t\x{00a0}]{2,}|\x{00a0}', ' ', 80),
    ('Espaço antes de pontuação no âmbito e conteúdo', 'REWRITE', 'scope_content', '[ \t]+([,;:.!?])', '$1', 90),
    ('Traços no fim do âmbito e conteúdo', 'REWRITE', 'scope_content', '\s*-{2,}\s*$', '', 100),
    ('Abreviatura Fotogr. no âmbito e conteúdo', 'REWRITE', 'scope_content', '\bfotogr\.', 'Fotografia', 110),
    ('Marca [sic] no título', 'VALIDATE', 'original_title', '\[sic\]', '', 120),
    ('Marca [sic] no âmbito e conteúdo', 'VALIDATE', 'scope_content', '\[sic\]', '', 130)
ON CONFLICT DO NOTHING;
